import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shownTime } from './shown.js';

describe('times as people write them', () => {
  const shown = (language: string, end: string, isAllDay = false): string =>
    shownTime(language, '2026-11-19 20:00:00', end, isAllDay);
  const [evening, later] = ['2026-11-19 22:30:00', '2026-11-21 01:00:00'];

  test('where ranges would be written otherwise than days, they are put together of these', () => {
    assert.equal(shown('ja', evening), '2026年11月19日木曜日 20:00～22:30');
    assert.equal(shown('ja', later), '2026年11月19日木曜日 20:00～2026年11月21日土曜日 1:00');
    assert.equal(shown('ja', later, true), '2026年11月19日木曜日～2026年11月21日土曜日');
    assert.equal(shown('ja', '2026-11-19 23:59:59', true), '2026年11月19日木曜日');
    assert.equal(shown('zh', later, true), '2026年11月19日星期四–2026年11月21日星期六');
  });

  test('elsewhere a range says once what its ends share', () => {
    assert.match(shown('de', later, true), /^Donnerstag, 19\..–.Samstag, 21\. November 2026$/);
    assert.match(shown('en', evening), /^Thursday, November 19, 2026, 8:00.–.10:30.PM$/);
  });

  test('a moment is no range', () => {
    assert.equal(shown('de', '2026-11-19 20:00:00', true), 'Donnerstag, 19. November 2026');
  });
});
