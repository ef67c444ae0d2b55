// Of the styles that editors write on a tag, only those that shape the text itself. Nothing that fetches, moves or
// covers anything: no addresses, no positions, no negative lengths, no parentheses except in colours.

const LENGTH = String.raw`(?:0|\d{1,4}(?:\.\d{1,4})?(?:px|pt|em|rem|%))`;
const COLOUR = String.raw`(?:#[0-9a-f]{3,8}|[a-z]{3,20}|(?:rgb|hsl)a?\([\d.,%/ ]{1,40}\))`;
const LENGTHS = `(?:${LENGTH}|auto)(?: (?:${LENGTH}|auto)){0,3}`;

const values = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const KNOWN: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      ['text-align', 'left|right|center|justify|start|end'],
      ['text-decoration text-decoration-line', 'underline|line-through|overline|none'],
      ['font-weight', 'normal|bold|bolder|lighter|[1-9]00'],
      ['font-style', 'normal|italic|oblique'],
      ['font-size', `${LENGTH}|smaller|larger|medium|(?:xx?-)?(?:small|large)`],
      ['color background-color', COLOUR],
      ['list-style-type', '[a-z-]{2,30}'],
      ['vertical-align', 'baseline|sub|super|top|middle|bottom|text-top|text-bottom'],
      ['float', 'left|right|none'],
      ['clear', 'left|right|both|none'],
      ['width max-width height', `${LENGTH}|auto`],
      ['margin padding', LENGTHS],
      ['margin-top margin-right margin-bottom margin-left', `${LENGTH}|auto`],
      ['padding-top padding-right padding-bottom padding-left', LENGTH],
    ] as const
  ).flatMap(([names, pattern]) => names.split(' ').map((name): [string, RegExp] => [name, values(pattern)])),
);

/** Longer ones are written by programs, not by people. */
const LONGEST = 2000;

/** What may stay of a `style` value, spelled as given; '' for nothing. */
export function cleanStyle(style: string): string {
  if (style.length > LONGEST) return '';
  return style
    .split(';')
    .flatMap((declaration) => {
      const [name = '', value = '', ...more] = declaration.split(':').map((part) => part.trim().toLowerCase());
      const single = value.replace(/\s+/g, ' ');
      return more.length === 0 && KNOWN.get(name)?.test(single) ? declaration.trim() : [];
    })
    .join(';');
}
