import { API, type Site } from './site.js';
import { jsonOf, jsonRequest, Line } from './wire.js';

/** Records to aim at, the same in each run: of every kind, status and protection. */
export async function addFixtures(site: Site, port: number): Promise<void> {
  const line = new Line(port);
  const post = async (path: string, body: object, as = site.users.administrator): Promise<number> => {
    const answer = await line.ask(jsonRequest('POST', API + path, as, body));
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body}`);
    return (jsonOf(answer) as { id: number }).id;
  };
  for (const venue of ['Town hall', 'Zoo', 'Venue 1', 'Venue 2'])
    await post('/venues', { venue, city: 'Ulm', geo_lat: 48.4, geo_lng: 9.99 });
  for (const organizer of ['The club', 'Organizer 1', 'Organizer 2']) await post('/organizers', { organizer });
  const music = await post('/categories', { name: 'Music' });
  await post('/categories', { name: 'Jazz', parent: music });
  for (const name of ['one', 'two']) await post('/tags', { name });
  const statuses = ['publish', 'publish', 'draft', 'private', 'pending', 'future', 'publish', 'publish'];
  for (const [n, status] of statuses.entries()) {
    await post(
      '/events',
      {
        title: `Event ${n + 1}`,
        start_date: `2031-0${n + 1}-01 10:00:00`,
        end_date: `2031-0${n + 1}-01 12:00:00`,
        status,
        venue: n % 2 ? [1] : [1, 2],
        organizer: 5,
        categories: 'Jazz',
        tags: ['one', 'two'],
        ...(status === 'future' ? { date: '2030-01-01' } : {}),
        ...(n === 6 ? { password: 'open sesame' } : {}),
      },
      n % 3 ? site.users.author : site.users.administrator,
    );
  }
  line.close();
}
