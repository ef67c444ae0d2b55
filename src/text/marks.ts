/**
 * Letters carry a few combining marks; thousands on one letter are an attack, since sorting marks takes quadratic time.
 * Call this before `normalize`.
 */
export const withFewMarks = (text: string): string => text.replace(/(\p{M}{30})\p{M}+/gu, '$1');
