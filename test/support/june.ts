import { makeEvent, must } from './rows.js';
import type { RoleName, TestServer } from './server.js';

/** June 2031: events of every status and zone, with terms, venues and organizers, for the rows about lists. */
export async function june(s: TestServer) {
  const make = (kind: string, json: object) => must(s.post(`/${kind}`, json, 'admin'));
  const music = await make('categories', { name: 'Music' });
  const jazz = await make('categories', { name: 'Jazz', parent: music.id });
  const bebop = await make('categories', { name: 'Be Bop', slug: 'bop', parent: jazz.id });
  const dance = await make('categories', { name: 'Dance' });
  const loud = await make('tags', { name: 'Loud' });
  const calm = await make('tags', { name: 'Calm' });
  const hall = await make('venues', { venue: 'Hall' });
  const park = await make('venues', { venue: 'Park' });
  const cellar = await make('venues', { venue: 'Cellar', status: 'private' });
  const ann = await make('organizers', { organizer: 'Ann' });
  const bob = await make('organizers', { organizer: 'Bob' });
  const spook = await make('organizers', { organizer: 'Spook', status: 'draft' });

  const at = (title: string, start_date: string, end_date: string, more: object = {}, as?: RoleName) =>
    makeEvent(s, { title, start_date, end_date, ...more }, as);
  const past = await at('Past', '2020-01-01 10:00', '2020-01-01 11:00');
  const next = await at('Next', '2031-06-12 00:00', '2031-06-12 01:00', {
    categories: dance.id,
    tickets: [{ name: 'T' }],
  });
  const early = await at('Early', '2031-06-10 09:00', '2031-06-10 10:00', {
    categories: music.id,
    tags: loud.id,
    venue: hall.id,
    organizer: ann.id,
    featured: true,
  });
  await at('Late', '2031-06-10 22:00', '2031-06-10 23:59:59', {
    tags: [loud.id, calm.id],
    venue: [hall.id, park.id],
    organizer: [ann.id, bob.id],
  });
  await at('Multi', '2031-06-09 12:00', '2031-06-11 12:00', {
    categories: jazz.id,
    venue: cellar.id,
    organizer: spook.id,
  });
  await at('Whole', '2031-06-11', '2031-06-11', {
    all_day: true,
    categories: [bebop.id, dance.id],
    tags: calm.id,
    venue: park.id,
  });
  await at('Tokyo', '2031-06-12 08:30', '2031-06-12 09:30', { timezone: 'Asia/Tokyo', organizer: bob.id });
  await at('Child', '2031-06-20 10:00', '2031-06-20 11:00', { post_parent: early.id });
  const hidden = await at('Hidden', '2031-06-10 12:00', '2031-06-10 13:00', { hide_from_listings: true }, 'author');
  await at('Draft', '2031-06-13 12:00', '2031-06-13 13:00', { status: 'draft' }, 'author');
  await at('Pending', '2031-06-14 12:00', '2031-06-14 13:00', { status: 'publish' }, 'contributor');
  const secret = await at('Private', '2031-06-15 12:00', '2031-06-15 13:00', { status: 'private' });
  await at('Future', '2031-06-16 12:00', '2031-06-16 13:00', { date: '2031-01-01 00:00:00' });
  await at('Trash', '2031-06-17 12:00', '2031-06-17 13:00', { status: 'trash' });

  return {
    music,
    jazz,
    bebop,
    dance,
    loud,
    calm,
    hall,
    park,
    cellar,
    ann,
    bob,
    spook,
    past,
    next,
    early,
    hidden,
    secret,
  };
}

export const JUNE = { start_date: '2031-06-01', end_date: '2031-06-30' };
/** Titles of the public ones, in the order of the list. */
export const ALL = ['Multi', 'Early', 'Late', 'Whole', 'Tokyo', 'Next', 'Child'];
