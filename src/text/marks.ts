/**
 * Letters carry a few marks; thousands on one letter are an attack, since putting marks in order takes the square of
 * their number. Call it before `normalize`.
 */
export const withFewMarks = (text: string): string => text.replace(/(\p{M}{30})\p{M}+/gu, '$1');
