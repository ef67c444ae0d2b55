const SHAPE = /^https?:\/\/([^/?#\\]+)/i;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' };

/**
 * An absolute http or https address (decision C3), else undefined. Plain ASCII comes back as it was given; other
 * alphabets, which the reference refuses, are stored encoded.
 */
export function cleanUrl(raw: string): string | undefined {
  const text = raw.trim();
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return undefined;
  const authority = SHAPE.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.hostname.replaceAll('.', '') === '') return undefined;
  if (/[^\p{ASCII}]/u.test(text)) return url.href.replaceAll("'", '%27');
  // None of these is legal in an address, and each has broken out of some attribute before.
  return text.replace(/["<>`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For the event's `website`, which is HTML-escaped (reference, 3.1). */
export function escapeUrl(url: string): string {
  return url.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** What was read can be written back. */
export const unescapeUrl = (url: string): string => url.replace(/&(?:amp|#0?38);/gi, '&').replace(/&#0?39;/g, "'");

/**
 * An address as it may be shown to anybody: a password in it is not. It may hold any character but the last `@`. The
 * address that messages give as an example stays as it is, or nobody would know what to write.
 */
export const withoutPassword = (url: string): string =>
  url
    .replace(/(:\/\/[^/:@?#]*):(?!password@host:5432\/database[^@]*$).*@/s, '$1:***@')
    .replace(/([?&]\w*password=)[^&\s]*/gi, '$1***');

/** The same for a sentence that may name addresses. */
export const withoutPasswords = (text: string): string => text.replace(/\S+/g, withoutPassword);
