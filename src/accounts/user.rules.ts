const LONGEST = 60;

/** What is wrong with a user name, as the rest of a sentence. HTTP Basic separates name and password by a colon. */
export function problemWithUsername(username: string): string | undefined {
  const length = [...username.trim()].length;
  if (length === 0) return 'must not be empty';
  if (length > LONGEST) return `must have at most ${LONGEST} characters`;
  // Names are compared in compatibility form (NFKC), in which a full-width colon is a colon, too.
  if (username.normalize('NFKC').includes(':')) return 'must not contain a colon';
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(username)) return 'must not contain control characters';
  return undefined;
}
