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

/** The page sizes of this site. */
export interface Paging {
  perPage: number;
  perPageMost: number;
}

export const recipesOf = ({ perPage, perPageMost }: Paging): Recipe[] => [
  {
    id: 'upcoming',
    title: 'Upcoming events',
    text: `Without parameters, the list starts today and ends two years from now. A page has up to ${perPage} events.`,
    path: '/events',
  },
  list(
    'all-pages',
    'All pages',
    `Follow next_rest_url until it is absent, or increase page up to total_pages. The maximum per_page is ${perPageMost}.`,
    `per_page=${perPageMost}&page=1`,
  ),
  list(
    'few-fields',
    'Only the fields you need',
    '_fields keeps responses small. Dots select fields of the records in a list.',
    '_fields=total,events.id,events.title,events.start_date,events.venue.city',
  ),
  list(
    'month',
    'One month',
    'With start_date and end_date, you get events that both start and end within these days.',
    'start_date=2027-03-01&end_date=2027-03-31',
  ),
  list(
    'running',
    'Events running now',
    'To find events that overlap a period, use starts_before and ends_after. With strict_dates, times count to the second.',
    'starts_before=now&ends_after=now&strict_dates=true',
  ),
  list(
    'past',
    'Past events',
    'With ends_before, the default date range does not apply, so past events are found.',
    'ends_before=yesterday',
  ),
  list(
    'starts-after',
    'Events starting after a day',
    'Without strict_dates, whole days count: events on the day itself are not included.',
    'starts_after=2027-03-01',
  ),
  list(
    'time-zone',
    'An exact moment',
    'A date and time with an offset, or a Unix timestamp, is an exact moment, whatever the time zone of the site.',
    'starts_after=2027-03-01T18:00:00%2B01:00&strict_dates=true',
  ),
  list(
    'search',
    'Search',
    'All words must occur, whole or as part of a longer word; case and accents do not matter. Use quotes for a phrase and a minus sign to exclude a word.',
    'search=guitar%20-workshop',
  ),
  list(
    'category',
    'By category',
    'By slug, ID or name. A category includes its subcategories. Separate several with commas; an event needs only one of them.',
    'categories=music,family',
  ),
  list('tag', 'By tag', 'Like categories: by slug, ID or name, several separated by commas.', 'tags=outdoors'),
  {
    id: 'find-venue',
    title: 'Find a venue',
    text: 'The search covers the name, description, address and the other text fields.',
    path: '/venues?search=harbour',
  },
  list(
    'at-venue',
    'Events at a venue, by an organizer',
    'By ID; separate several with commas. Find the IDs with /venues and /organizers.',
    'venue=1&organizer=6',
  ),
  list('parts', 'The parts of a larger event', 'Events that belong to the event with this ID.', 'post_parent=11'),
  list(
    'near-me',
    'Events near me',
    'Within geoloc_distance kilometres (default 25) of a point, measured along the surface of the earth.',
    'geoloc_lat=38.71&geoloc_lng=-9.14&geoloc_distance=5',
  ),
  list('with-place', 'Events with coordinates', 'Events whose venue can be shown on a map.', 'geoloc=true'),
  list('featured', 'Featured events', 'featured=false returns all other events.', 'featured=true'),
  list('ticketed', 'Events with tickets', 'ticketed=false returns events without tickets.', 'ticketed=true'),
  list(
    'include',
    'Several events by ID',
    'Date filters are ignored. Events that no longer exist, or that you may not see, are left out.',
    'include=9,10,11',
  ),
  {
    id: 'status',
    title: 'Drafts and other statuses',
    text: 'Users who can create events may filter by status; "any" means all but the trash. They get only records that they may read.',
    path: '/events?status=draft,pending',
    user: true,
  },
  {
    id: 'single',
    title: 'One event',
    text: 'By slug or ID, with its venue, organizers, categories, tags and schema.org data.',
    path: '/events/by-slug/fado-by-candlelight',
  },
  {
    id: 'protected',
    title: 'A password-protected event',
    text: 'Lists show only that it exists. With the password you get all of it.',
    path: '/events/by-slug/members-evening?password=lantern',
  },
  {
    id: 'changed',
    title: 'Download only if something changed',
    text: 'Send the ETag of the last response: status 304 means that nothing has changed.',
    path: '/events',
    headers: { 'If-None-Match': '"the-etag-of-last-time"' },
  },
  {
    id: 'count',
    title: 'Count events',
    text: 'HEAD returns only the headers; see X-TEC-Total and X-TEC-TotalPages.',
    path: '/events?categories=culture',
    method: 'HEAD',
  },
  {
    id: 'venues-in-use',
    title: 'Venues with upcoming events',
    text: 'has_events selects venues with any event, only_with_upcoming those with an event that has not ended.',
    path: '/venues?only_with_upcoming=true',
  },
  {
    id: 'organizers',
    title: 'Organizers with events',
    text: 'Organizers have the same filters as venues.',
    path: '/organizers?has_events=true',
  },
  {
    id: 'categories',
    title: 'The category tree',
    text: 'parent=0 selects the top level; hide_empty=false includes categories without events.',
    path: '/categories?parent=0&hide_empty=false&orderby=count&order=desc',
  },
  {
    id: 'tags',
    title: 'Most used tags',
    text: 'Ordered by the number of published events that have them.',
    path: '/tags?orderby=count&order=desc',
  },
  {
    id: 'me',
    title: 'Do my credentials arrive?',
    text: 'Some proxies strip the Authorization header. The response shows whether it arrived and which user it identifies.',
    path: '/users/me',
    user: true,
  },
  {
    id: 'create',
    title: 'Add an event',
    text: 'Give the venue, organizers, categories and tags as IDs, names or new records. Either all of it is stored, or nothing.',
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
    text: 'Fields that you do not send stay as they are; "" and [] clear a field.',
    path: '/events/by-slug/choir-practice',
    method: 'PATCH',
    user: true,
    body: { start_date: '+9 days 18:30', website: '' },
  },
  {
    id: 'move',
    title: 'Change the time zone, keep the local time',
    text: 'If you send only a new timezone, the local time stays and the UTC times change.',
    path: '/events/by-slug/choir-practice',
    method: 'PATCH',
    user: true,
    body: { timezone: 'Europe/Madrid' },
  },
  {
    id: 'trash',
    title: 'Delete, or delete permanently',
    text: 'DELETE moves an event to the trash; with force=true, it is removed permanently. To restore a trashed event, set its status.',
    path: '/events/by-slug/choir-practice?force=true',
    method: 'DELETE',
    user: true,
  },
  {
    id: 'repeat',
    title: 'Retry safely',
    text: 'If no response arrives, repeat the request with the same Idempotency-Key within 24 hours: it is executed only once, and you get the first response. The key is any text without spaces; use a new one for each record.',
    path: '/tags',
    method: 'POST',
    user: true,
    headers: { 'Idempotency-Key': 'tag-jam-session' },
    body: { name: 'Jam session' },
  },
  {
    id: 'new-venue',
    title: 'Add a venue with coordinates',
    text: 'With geo_lat and geo_lng, its events can be found by distance.',
    path: '/venues',
    method: 'POST',
    user: true,
    body: { venue: 'Tram Depot', city: 'Lisbon', country: 'Portugal', geo_lat: 38.7028, geo_lng: -9.1781 },
  },
  {
    id: 'options',
    title: 'Describe a route',
    text: 'OPTIONS returns a description of a route and its parameters, in the language of the address.',
    path: '/events',
    method: 'OPTIONS',
  },
  {
    id: 'moving',
    title: 'Move from an existing site',
    text: 'The command "kalends import SITE" imports the calendar of any site with this API, reading it page by page as this request does. The addresses of the old API work here too, so apps and scripts keep working unchanged.',
    path: `/events?start_date=2000-01-01&end_date=2100-01-01&per_page=${perPageMost}`,
  },
];
