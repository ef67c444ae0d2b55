/** Content lines of iCalendar (RFC 5545): escaping and folding. */

const OCTETS = 75;
const ESCAPES: Record<string, string> = { '\\': '\\\\', ';': '\\;', ',': '\\,', '\n': '\\n' };

/** Control characters other than tab and line ends, which iCalendar does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A text, escaped as a value. */
export const text = (value: string): string =>
  value.replace(/\r\n?/g, '\n').replace(/[\\;,\n]/g, (sign) => ESCAPES[sign] ?? sign);

/** Values that are not escaped, such as addresses, must not end their line. */
const inOneLine = (value: string): string => value.replace(/[\r\n]/g, '').replace(CONTROLS, '');

/** Folded after 75 octets, never within a character. */
export function line(name: string, value: string): string {
  const whole = inOneLine(`${name}:${value}`);
  // Most lines are short, and a UTF-16 unit takes at most three octets.
  if (whole.length * 3 <= OCTETS) return `${whole}\r\n`;
  const bytes = Buffer.from(whole);
  const parts: string[] = [];
  for (let from = 0, most = OCTETS; from < bytes.length; most = OCTETS - 1) {
    let until = Math.min(from + most, bytes.length);
    while (until < bytes.length && isWithin(bytes[until])) until--;
    parts.push(bytes.toString('utf8', from, until));
    from = until;
  }
  return `${parts.join('\r\n ')}\r\n`;
}

/** Continuation octets of UTF-8 begin with these bits. */
const isWithin = (octet: number | undefined): boolean => ((octet ?? 0) & 0b1100_0000) === 0b1000_0000;
