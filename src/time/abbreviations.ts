// The abbreviations of time zones (D6), both ways: those that a caller may write, and those that timezone_abbr shows.

/**
 * Abbreviations accepted as a zone, in hours east of UTC. Each is a fixed offset, as in the reference: CET is +1 in
 * July, too. Where letters mean several zones (IST, CST, BST, AST), the choice of the reference counts.
 */
export const hoursOfLetters: Readonly<Record<string, number>> = {
  GMT: 0,
  WET: 0,
  WEST: 1,
  BST: 1,
  CET: 1,
  MET: 1,
  WAT: 1,
  CEST: 2,
  MEST: 2,
  EET: 2,
  CAT: 2,
  SAST: 2,
  IST: 2,
  EEST: 3,
  IDT: 3,
  MSK: 3,
  EAT: 3,
  MSD: 4,
  PKT: 5,
  WIB: 7,
  WITA: 8,
  AWST: 8,
  HKT: 8,
  WIT: 9,
  JST: 9,
  KST: 9,
  ACST: 9.5,
  AEST: 10,
  CHST: 10,
  ACDT: 10.5,
  AEDT: 11,
  NZST: 12,
  NZDT: 13,
  NDT: -2.5,
  ADT: -3,
  NST: -3.5,
  AST: -4,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
  AKDT: -8,
  AKST: -9,
  HDT: -9,
  HST: -10,
  SST: -11,
};

/**
 * Intl's short names depend on the locale ('GMT+2' in America, 'CEST' in Britain); its long English names do not, and
 * they follow daylight saving time and aliases. Names that are not listed have no letters in the tz database either.
 */
export const lettersOfName: Readonly<Record<string, string>> = {
  'Alaska Daylight Time': 'AKDT',
  'Alaska Standard Time': 'AKST',
  'American Samoa Standard Time': 'SST',
  'Atlantic Daylight Time': 'ADT',
  'Atlantic Standard Time': 'AST',
  'Australian Central Daylight Time': 'ACDT',
  'Australian Central Standard Time': 'ACST',
  'Australian Eastern Daylight Time': 'AEDT',
  'Australian Eastern Standard Time': 'AEST',
  'Australian Western Daylight Time': 'AWDT',
  'Australian Western Standard Time': 'AWST',
  'British Summer Time': 'BST',
  'Central Africa Time': 'CAT',
  'Central Daylight Time': 'CDT',
  'Central European Standard Time': 'CET',
  'Central European Summer Time': 'CEST',
  'Central Indonesia Time': 'WITA',
  'Central Standard Time': 'CST',
  'Chamorro Standard Time': 'ChST',
  'China Daylight Time': 'CDT',
  'China Standard Time': 'CST',
  'Coordinated Universal Time': 'UTC',
  'Cuba Daylight Time': 'CDT',
  'Cuba Standard Time': 'CST',
  'East Africa Time': 'EAT',
  'Eastern Daylight Time': 'EDT',
  'Eastern European Standard Time': 'EET',
  'Eastern European Summer Time': 'EEST',
  'Eastern Indonesia Time': 'WIT',
  'Eastern Standard Time': 'EST',
  'Greenwich Mean Time': 'GMT',
  'Hawaii-Aleutian Daylight Time': 'HDT',
  'Hawaii-Aleutian Standard Time': 'HST',
  'Hong Kong Standard Time': 'HKT',
  'Hong Kong Summer Time': 'HKST',
  'India Standard Time': 'IST',
  'Irish Standard Time': 'IST',
  'Israel Daylight Time': 'IDT',
  'Israel Standard Time': 'IST',
  'Japan Daylight Time': 'JDT',
  'Japan Standard Time': 'JST',
  'Korean Daylight Time': 'KDT',
  'Korean Standard Time': 'KST',
  'Mexican Pacific Daylight Time': 'MDT',
  'Mexican Pacific Standard Time': 'MST',
  'Moscow Standard Time': 'MSK',
  'Moscow Summer Time': 'MSD',
  'Mountain Daylight Time': 'MDT',
  'Mountain Standard Time': 'MST',
  'New Zealand Daylight Time': 'NZDT',
  'New Zealand Standard Time': 'NZST',
  'Newfoundland Daylight Time': 'NDT',
  'Newfoundland Standard Time': 'NST',
  'Pacific Daylight Time': 'PDT',
  'Pacific Standard Time': 'PST',
  'Pakistan Standard Time': 'PKT',
  'Pakistan Summer Time': 'PKST',
  'Philippine Standard Time': 'PST',
  'Philippine Summer Time': 'PDT',
  'Samoa Standard Time': 'SST',
  'South Africa Standard Time': 'SAST',
  'Taipei Standard Time': 'CST',
  'Taiwan Standard Time': 'CST',
  'West Africa Standard Time': 'WAT',
  'West Africa Time': 'WAT',
  'Western European Standard Time': 'WET',
  'Western European Summer Time': 'WEST',
  'Western Indonesia Time': 'WIB',
  'Yukon Time': 'MST',
};

/** Intl names these after a neighbour that has letters; the tz database gives them none. Lower case. */
export const withoutLetters: ReadonlySet<string> = new Set([
  'africa/casablanca',
  'africa/el_aaiun',
  'antarctica/casey',
  'antarctica/troll',
  'asia/colombo',
  'europe/minsk',
  'pacific/apia',
]);

/** Intl has no names for these (for some only since Node 26); they keep the time of those zones. Lower case. */
export const namedAfter: Readonly<Record<string, string>> = {
  cst6cdt: 'America/Chicago',
  est5edt: 'America/New_York',
  mst7mdt: 'America/Denver',
  pst8pdt: 'America/Los_Angeles',
  'europe/guernsey': 'Europe/London',
  'europe/isle_of_man': 'Europe/London',
  'europe/jersey': 'Europe/London',
};

/**
 * The names without a slash in the tz database. A list, because Intl also accepts old Java names that mean something
 * else to everybody else ('AST' for Alaska, 'BST' for Bangladesh).
 */
export const plainNames: ReadonlySet<string> = new Set(
  (
    'cst6cdt cuba egypt eire est5edt gb gb-eire gmt+0 gmt-0 gmt0 greenwich hongkong iceland iran israel jamaica japan ' +
    'kwajalein libya mst7mdt navajo nz nz-chat poland portugal prc pst8pdt roc rok singapore turkey uct universal ' +
    'w-su zulu'
  ).split(' '),
);
