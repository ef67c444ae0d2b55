import type { TermRecord } from '../records/shape.js';
import { plainText } from '../text/html.js';
import { zoneNames } from '../time/zone.js';
import { type Field, linesOf, momentOf, NEW, timeField, type Value, type Values } from './fields.js';
import { escapeHtml } from './page.js';
import { pictureAt, type Telling, TOLD_WRONG } from './parts.js';

/** The form of a record, as HTML. */

/** Why the form was not saved, and the fields concerned. */
export interface Problem {
  status: number;
  told: string[];
  fields: string[];
  /** Where it can be put right, in another tab, so that what was entered here is not lost. */
  way?: { href: string; text: string };
}

export type Category = Pick<TermRecord, 'id' | 'name' | 'parent'>;

/** What was filled in so far, and what the user may do. */
export interface Filled {
  token: string;
  hidden: Record<string, string>;
  values: Values;
  /** Those that can be chosen. Undefined: not known. Those that were chosen are retained, unseen. */
  categories: readonly Category[] | undefined;
  /** Names to suggest, by field. */
  known: Readonly<Record<string, readonly string[]>>;
  /** The address of the stored picture; '' if there is none. */
  picture: string;
  /** What the picture shows, for those who cannot see it. */
  pictureText: string;
  mayPublish: boolean;
  problem: Problem | undefined;
}

const option = (value: string, text: string, isOn: boolean): string =>
  `<option value="${escapeHtml(value)}"${isOn ? ' selected' : ''}>${escapeHtml(text)}</option>`;

const box = (name: string, value: string, html: string, isOn: boolean): string =>
  `<label class="box"><input type="checkbox" name="${name}" value="${escapeHtml(value)}"${isOn ? ' checked' : ''}> ${html}</label>`;

const hiddenField = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** A control below its label and, in small letters, a hint; both are keys of texts. */
const labelled = (
  label: string,
  hint: string | undefined,
  control: string,
  translate: Telling['translate'],
): string => {
  const beside = hint === undefined ? '' : ` <small>(${escapeHtml(translate(hint))})</small>`;
  return `<p><label>${escapeHtml(translate(label))}${beside}\n${control}</label></p>`;
};

export function formBody<R>(fields: readonly Field<R>[], filled: Filled, telling: Telling): string {
  const { token, hidden, problem } = filled;
  const { told: texts = [], way } = problem ?? {};
  const link = way ? `<p><a href="${escapeHtml(way.href)}" target="_blank">${escapeHtml(way.text)}</a></p>` : '';
  const told = texts.map((one) => `<p>${escapeHtml(one)}</p>`).join('') + link;
  return `${told && `<div tabindex="-1" autofocus role="alert" id="problem">${told}</div>`}
<form method="post" enctype="multipart/form-data">${token}
${Object.entries(hidden)
  .map(([name, value]) => hiddenField(name, value))
  .join('')}
${fields.map((field) => fieldBody(field, filled, telling)).join('\n')}
<p><button>${escapeHtml(telling.translate('form.save'))}</button></p></form>`;
}

function fieldBody<R>(field: Field<R>, filled: Filled, { language, translate }: Telling): string {
  const { name, as, hint, rows, more = '' } = field;
  const value = filled.values[name] ?? '';
  const text = escapeHtml(String(value));
  const wrong = filled.problem?.fields.includes(name) ? TOLD_WRONG : '';
  const below = (control: string): string => labelled(field.label, hint, control, translate);
  switch (as) {
    case 'line':
      return below(`<input name="${name}" value="${text}" dir="auto"${more}${wrong}>`);
    case 'area':
      return below(`<textarea name="${name}" rows="${rows}" dir="auto"${wrong}>\n${text}</textarea>`);
    case 'names':
      return namesBody(field, linesOf(value), filled.known[name] ?? [], wrong, translate);
    case 'moment':
      return momentBody(field, value, wrong, translate);
    case 'zone':
      return `${below(`<input name="${name}" value="${text}" list="zones"${wrong}>`)}<datalist id="zones">${zoneNames()
        .map((zone) => option(zone, '', false))
        .join('')}</datalist>`;
    case 'check':
      return `<p>${box(name, 'true', escapeHtml(translate(field.label)), value === 'true')}</p>`;
    case 'categories':
      return categoryBoxes(field.label, filled, [value].flat(), wrong, language, translate);
    case 'parent':
      return filled.categories
        ? below(`<select name="${name}"${wrong}>${parents(filled.categories, String(value), language)}</select>`)
        : hiddenField(name, String(value));
    case 'picture':
      return filled.mayPublish ? pictureBody(name, String(value), filled, below, wrong, translate) : '';
    case 'status':
      return below(`<select name="${name}"${wrong}>${statuses(String(value), filled.mayPublish, translate)}</select>`);
  }
}

function namesBody<R>(
  { name, label, hint, spare = 1 }: Field<R>,
  names: readonly string[],
  known: readonly string[],
  wrong: string,
  translate: Telling['translate'],
): string {
  const list = `known-${name}`;
  const control = (one: string, more = ''): string =>
    `<input name="${name}[]" value="${escapeHtml(one)}" list="${list}" dir="auto"${more}${wrong}>`;
  const [first = '', ...others] = [...names, ...Array<string>(spare).fill('')];
  const more = ` aria-label="${escapeHtml(translate(label))}"`;
  return `<div class="names">${labelled(label, hint, control(first), translate)}
${others.map((one) => `<label>${control(one, more)}</label>`).join('\n')}
<datalist id="${list}">${known.map((one) => option(one, '', false)).join('')}</datalist></div>`;
}

/** Whoever types a year of two digits means none of antiquity. An event that is as old as that keeps its year. */
const [FIRST_DAY, LAST_DAY] = ['1000-01-01', '9999-12-31'];
const yearsFor = (day: string): string =>
  day !== '' && (day < FIRST_DAY || day > LAST_DAY) ? '' : ` min="${FIRST_DAY}" max="${LAST_DAY}"`;

function momentBody<R>(
  { name, label }: Field<R>,
  value: Value,
  wrong: string,
  translate: Telling['translate'],
): string {
  const { day, time } = momentOf(value);
  const [what, hour] = [escapeHtml(translate(label)), escapeHtml(translate('form.time'))];
  return `<p class="moment"><label>${what}
<input type="date" name="${name}" value="${escapeHtml(day)}" required${yearsFor(day)}${wrong}></label>
<label>${hour}
<input type="time" name="${timeField(name)}" value="${escapeHtml(time)}" aria-label="${what}: ${hour}"${wrong}></label></p>`;
}

/** No more ancestors are named: where categories are nested a thousand deep, a page would grow without limit. */
const MOST_ABOVE = 4;

/** Each category with its ancestors, `Music › Jazz`. */
function named(all: readonly Category[], language: string): { id: string; path: string }[] {
  const byId = new Map(all.map((one) => [one.id, one]));
  const pathOf = (one: Category, most = MOST_ABOVE): string => {
    const above = byId.get(one.parent ?? 0);
    const way = above ? `${most > 0 ? pathOf(above, most - 1) : '…'} › ` : '';
    return way + plainText(one.name);
  };
  return all
    .map((one) => ({ id: String(one.id), path: pathOf(one) }))
    .sort((one, other) => one.path.localeCompare(other.path, language, { numeric: true }));
}

/** The present one can always be chosen, even if there are too many to list. */
function parents(all: readonly Category[], now: string, language: string): string {
  const choice = [{ id: '', path: '–' }, ...named(all, language)];
  if (!choice.some(({ id }) => id === now)) choice.push({ id: now, path: `#${now}` });
  return choice.map(({ id, path }) => option(id, path, id === now)).join('');
}

/** The categories and, for those who may create them, names of new ones. */
function categoryBoxes(
  label: string,
  { categories: all, mayPublish }: Filled,
  chosen: readonly string[],
  wrong: string,
  language: string,
  translate: Telling['translate'],
): string {
  if (!all) return chosen.map((one) => hiddenField('categories[]', one)).join('');
  const boxes = named(all, language).map(({ id, path }) =>
    box('categories[]', id, `<bdi>${escapeHtml(path)}</bdi>`, chosen.includes(id)),
  );
  const added = chosen.filter((one) => one.startsWith(NEW)).map((one) => one.slice(NEW.length));
  const names = `<textarea name="new_categories" rows="1" dir="auto"${wrong}>\n${escapeHtml(added.join('\n'))}</textarea>`;
  const more = mayPublish ? labelled('form.new-categories', 'form.per-line', names, translate) : '';
  return (
    (boxes.length > 0
      ? `<fieldset><legend>${escapeHtml(translate(label))}</legend>${boxes.join('\n')}</fieldset>`
      : '') + more
  );
}

function pictureBody(
  name: string,
  id: string,
  { picture, pictureText, problem }: Filled,
  below: (control: string) => string,
  wrong: string,
  translate: Telling['translate'],
): string {
  const remove = box('remove_image', '1', escapeHtml(translate('form.picture-remove')), false);
  const seen = picture && `<img class="thumbnail" src="${pictureAt(picture)}" alt=""> `;
  const kept = `<p>${seen}${escapeHtml(translate('form.picture-kept'))}</p><p>${remove}</p>`;
  const wrongText = problem?.fields.includes('alt_text') ? TOLD_WRONG : '';
  const alternative = `<input name="alt_text" value="${escapeHtml(pictureText)}" dir="auto"${wrongText}>`;
  return `${hiddenField(name, id)}${below(`<input type="file" name="picture" accept="image/*"${wrong}>`)}
${labelled('form.picture-text', undefined, alternative, translate)}${id === '' ? '' : kept}`;
}

/** The present status can always be chosen, so that saving does not change it. */
function statuses(now: string, mayPublish: boolean, translate: Telling['translate']): string {
  const choice = mayPublish ? ['publish', 'draft', 'pending', 'private'] : ['pending', 'draft'];
  const all = now === '' || choice.includes(now) ? choice : [...choice, now];
  return all.map((one) => option(one, translate(`form.status.${one}`), one === now)).join('');
}

/** What has no trash is removed for good, so that is confirmed by ticking a box. */
export const removeBody = (token: string, { translate }: Telling): string =>
  `<form method="post">${token}<p><label class="box"><input type="checkbox" name="trash" value="1" required> ${escapeHtml(translate('form.remove-sure'))}</label></p>
<button>${escapeHtml(translate('form.remove'))}</button></form>`;

export const trashBody = (token: string, { translate }: Telling): string =>
  `<form method="post">${token}<button name="trash" value="1">${escapeHtml(translate('form.trash'))}</button></form>`;
