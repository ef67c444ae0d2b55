const SHAPE = /^https?:\/\/([^/?#\\]+)/i;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' };

/** As much as browsers and indexes accept. */
const LONGEST = 2000;
/** A host name has at most 253 letters, and a user may come before it. */
const LONGEST_HOST = 500;

/**
 * An absolute http or https address (decision C3), else undefined. Plain ASCII comes back as it was given; other
 * alphabets, which the reference refuses, are stored encoded.
 */
export function cleanUrl(raw: string): string | undefined {
  const text = raw.trim();
  // Converting a host name in another alphabet takes quadratic time.
  if (text.length > LONGEST) return undefined;
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return undefined;
  const authority = SHAPE.exec(text)?.[1];
  if (authority === undefined || authority.length > LONGEST_HOST || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname.replaceAll('.', '') === '') return undefined;
  if (/[^\p{ASCII}]/u.test(text)) return url.href.replaceAll("'", '%27');
  // None of these is legal in an address, and each has broken out of some attribute before.
  return text.replace(/["<>`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Whether a text is such an address as it stands. */
export const isAddress = (raw: string): boolean => /^https?:\/\//i.test(raw) && cleanUrl(raw) !== undefined;

/** For the event's `website`, which is HTML-escaped (reference, 3.1). */
export function escapeUrl(url: string): string {
  return url.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** So that what was read can be written back. */
export const unescapeUrl = (url: string): string => url.replace(/&(?:amp|#0?38);/gi, '&').replace(/&#0?39;/g, "'");

/**
 * An address that may be shown to anybody: without its password, which may contain any character and so ends at the
 * last `@`. The example address in our own messages stays as it is, or nobody would know what to write.
 */
export const withoutPassword = (url: string): string =>
  url
    .replace(/(:\/\/[^/:@?#]*):(?!password@host:5432\/database[^@]*$).*@/s, '$1:***@')
    .replace(/([?&]\w*password=)[^&\s]*/gi, '$1***');

/** The same for a sentence that may contain addresses. */
export const withoutPasswords = (text: string): string => text.replace(/\S+/g, withoutPassword);

/** Whether a text can be written to: one `@`, and no blanks. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);
