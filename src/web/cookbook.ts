/** Worked examples, one for each filter and each task. A test runs every one of them against the sample calendar. */
export interface Recipe {
  id: string;
  title: string;
  text: string;
  /** Below the namespace. */
  path: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Needs credentials. */
  user?: true;
}

const list = (id: string, title: string, text: string, query: string): Recipe => ({
  id,
  title,
  text,
  path: `/events?${query}`,
});

/** How long pages are on this site. */
export interface Paging {
  perPage: number;
  perPageMost: number;
}

export const recipesOf = ({ perPage, perPageMost }: Paging): Recipe[] => [
  {
    id: 'upcoming',
    title: 'What is on',
    text: `Without parameters the list begins today and reaches two years ahead; a page has ${perPage} at most.`,
    path: '/events',
  },
  list(
    'all-pages',
    'All pages',
    `Follow next_rest_url until it is absent; or count page up to total_pages. per_page is ${perPageMost} at most.`,
    `per_page=${perPageMost}&page=1`,
  ),
  list(
    'few-fields',
    'Only what you need',
    '_fields keeps answers small, also inside lists.',
    '_fields=total,events.id,events.title,events.start_date,events.venue.city',
  ),
  list(
    'month',
    'One month',
    'start_date and end_date mean contained: events that start and end within these days.',
    'start_date=2027-03-01&end_date=2027-03-31',
  ),
  list(
    'running',
    'What is running now',
    'Overlap is asked for with starts_before and ends_after. With strict_dates the times count to the second.',
    'starts_before=now&ends_after=now&strict_dates=true',
  ),
  list(
    'past',
    'Past events',
    'ends_before drops the default window, so the past is in reach.',
    'ends_before=yesterday',
  ),
  list(
    'starts-after',
    'Starting after a day',
    'Whole days count unless strict_dates is given: the day itself is not included.',
    'starts_after=2027-03-01',
  ),
  list(
    'time-zone',
    'An exact moment',
    'A date-time with an offset, or a Unix time, is that instant whatever the zone of the site.',
    'starts_after=2027-03-01T18:00:00%2B01:00&strict_dates=true',
  ),
  list(
    'search',
    'Search',
    'Every word must occur, also as a part of a word, whatever its case and accents. Quotes keep a phrase together, a minus excludes.',
    'search=guitar%20-workshop',
  ),
  list(
    'category',
    'By category',
    'By slug, ID or name; a category includes those below it. Several separated by commas: any one suffices.',
    'categories=music,family',
  ),
  list('tag', 'By tag', 'As with categories.', 'tags=outdoors'),
  {
    id: 'find-venue',
    title: 'Find a venue',
    text: 'Search looks in name, description, address and the other text fields.',
    path: '/venues?search=harbour',
  },
  list(
    'at-venue',
    'What is on at a venue, by an organizer',
    'By ID; several separated by commas. Find the IDs in /venues and /organizers.',
    'venue=1&organizer=6',
  ),
  list('parts', 'The parts of a larger event', 'Events that name another as the one they belong to.', 'post_parent=11'),
  list(
    'near-me',
    'Events near me',
    'Within geoloc_distance kilometres (25 unless told otherwise) of a point, along the surface of the earth.',
    'geoloc_lat=38.71&geoloc_lng=-9.14&geoloc_distance=5',
  ),
  list('with-place', 'Events with coordinates', 'Those whose venue can be put on a map.', 'geoloc=true'),
  list('featured', 'Featured events', 'featured=false gives the others.', 'featured=true'),
  list('ticketed', 'Events with tickets', 'ticketed=false gives those without.', 'ticketed=true'),
  list(
    'include',
    'Some events by ID',
    'Date filters do not count then; IDs that are gone or not for you are left out.',
    'include=9,10,11',
  ),
  {
    id: 'status',
    title: 'Drafts and everything else',
    text: 'Callers who may edit ask for any status, or for any; they see what they may read.',
    path: '/events?status=draft,pending',
    user: true,
  },
  {
    id: 'single',
    title: 'One event',
    text: 'By slug or by ID; with venue, organizers, terms and schema.org data.',
    path: '/events/by-slug/fado-by-candlelight',
  },
  {
    id: 'protected',
    title: 'A protected event',
    text: 'Lists show that it is there; the word opens it.',
    path: '/events/by-slug/members-evening?password=lantern',
  },
  {
    id: 'changed',
    title: 'Ask again only if something changed',
    text: 'Send the ETag of the last answer: 304 means nothing has changed.',
    path: '/events',
    headers: { 'If-None-Match': '"the-etag-of-last-time"' },
  },
  {
    id: 'count',
    title: 'How many',
    text: 'HEAD answers the headers only: X-TEC-Total and X-TEC-TotalPages.',
    path: '/events?categories=culture',
    method: 'HEAD',
  },
  {
    id: 'venues-in-use',
    title: 'Venues with something coming up',
    text: 'has_events asks for any event, only_with_upcoming for one that has not ended.',
    path: '/venues?only_with_upcoming=true',
  },
  {
    id: 'organizers',
    title: 'Organizers who have events',
    text: 'The same filters as for venues.',
    path: '/organizers?has_events=true',
  },
  {
    id: 'categories',
    title: 'The tree of categories',
    text: 'parent=0 is the top level; hide_empty=false shows those without events too.',
    path: '/categories?parent=0&hide_empty=false&orderby=count&order=desc',
  },
  {
    id: 'tags',
    title: 'Tags by use',
    text: 'Ordered by how many published events have them.',
    path: '/tags?orderby=count&order=desc',
  },
  {
    id: 'me',
    title: 'Do my credentials arrive?',
    text: 'Proxies are known to strip the Authorization header. This tells what the server received.',
    path: '/users/me',
    user: true,
  },
  {
    id: 'create',
    title: 'Add an event',
    text: 'Venue, organizers and terms may be IDs, names or new records; all of it is stored, or nothing.',
    path: '/events',
    method: 'POST',
    user: true,
    body: {
      title: 'Choir practice',
      start_date: '+9 days 19:00',
      end_date: '+9 days 21:00',
      timezone: 'Europe/Lisbon',
      venue: 'Harbour Hall',
      organizer: ['Harbour Music Society'],
      categories: ['Music'],
      cost: 'Free',
    },
  },
  {
    id: 'change',
    title: 'Change one thing',
    text: 'What is not sent stays as it is; "" and [] empty a field.',
    path: '/events/by-slug/choir-practice',
    method: 'PATCH',
    user: true,
    body: { start_date: '+9 days 18:30', website: '' },
  },
  {
    id: 'move',
    title: 'Keep the clock, change the zone',
    text: 'A new timezone alone keeps the time of day; UTC times follow.',
    path: '/events/by-slug/choir-practice',
    method: 'PATCH',
    user: true,
    body: { timezone: 'Europe/Madrid' },
  },
  {
    id: 'trash',
    title: 'Delete, and delete for good',
    text: 'DELETE moves to the trash; force=true removes for good. A status brings a trashed event back.',
    path: '/events/by-slug/choir-practice?force=true',
    method: 'DELETE',
    user: true,
  },
  {
    id: 'repeat',
    title: 'Send it again without fear',
    text: 'No answer came? Repeat the request with the same Idempotency-Key within 24 hours: it is done once, and answered as the first time. Any text of your own without blanks will do, a new one for each record.',
    path: '/tags',
    method: 'POST',
    user: true,
    headers: { 'Idempotency-Key': 'tag-jam-session' },
    body: { name: 'Jam session' },
  },
  {
    id: 'new-venue',
    title: 'Add a venue with coordinates',
    text: 'With geo_lat and geo_lng its events are found by distance.',
    path: '/venues',
    method: 'POST',
    user: true,
    body: { venue: 'Tram Depot', city: 'Lisbon', country: 'Portugal', geo_lat: 38.7028, geo_lng: -9.1781 },
  },
  {
    id: 'options',
    title: 'What a route takes',
    text: 'OPTIONS describes a route and its parameters, in the language of the address.',
    path: '/events',
    method: 'OPTIONS',
  },
  {
    id: 'moving',
    title: 'Move from an existing site',
    text: 'The command "kalends import SITE" brings the calendar of any site that has this interface, page by page, as this request reads it. The addresses of the old interface work here too, so apps and scripts go on unchanged.',
    path: `/events?start_date=2000-01-01&end_date=2100-01-01&per_page=${perPageMost}`,
  },
];
