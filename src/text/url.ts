const SHAPE = /^https?:\/\/([^/?#\\]+)/i;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' };

/** As much as browsers and indexes accept. */
export const LONGEST_URL = 2000;
/** A host name has at most 253 letters, and a user may come before it. */
const LONGEST_HOST = 500;
/** Converting a host name in another alphabet takes quadratic time. */
const LONGEST_TYPED = 1000;

/** An absolute http or https address in ASCII (decision C3; reference), else undefined. It comes back as it was given. */
export function cleanUrl(raw: string): string | undefined {
  const text = raw.trim();
  if (text.length > LONGEST_URL) return undefined;
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  const authority = SHAPE.exec(text)?.[1];
  if (authority === undefined || authority.length > LONGEST_HOST || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname.replaceAll('.', '') === '') return undefined;
  // None of these is legal in an address, and each has broken out of some attribute before.
  return text.replace(/["<>`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** An address as people type it, with letters of any alphabet, as programs write it; anything else stays as it is. */
export function asciiUrl(typed: string): string {
  const isOther = /[^\p{ASCII}]/u.test(typed) && typed.length <= LONGEST_TYPED && URL.canParse(typed);
  return isOther ? new URL(typed).href.replaceAll("'", '%27') : typed;
}

/** Whether a text is an address from which something can be fetched, as it stands. */
export const isAddress = (raw: string): boolean => /^https?:\/\//i.test(raw) && cleanUrl(asciiUrl(raw)) !== undefined;

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
