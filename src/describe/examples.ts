/**
 * What a newcomer would send, by the name of the operation. Without these, tools combine the examples of all fields and
 * ask for pictures and parents that do not exist. The sample calendar has the venues, organizers and categories named
 * here.
 */
export const BODY_EXAMPLES: Record<string, Record<string, unknown>> = {
  'event.create': {
    title: 'Choir practice',
    start_date: '2027-03-09 19:30:00',
    end_date: '2027-03-09 21:00:00',
    timezone: 'Europe/Lisbon',
    venue: 'Harbour Hall',
    organizer: ['Harbour Music Society'],
    categories: ['Music'],
    cost: '$10',
  },
  'event.update': { title: 'Choir practice, with guests', cost: 'Free' },
  'venue.create': {
    venue: 'Tram Depot',
    address: 'Rua 1.º de Maio 101',
    city: 'Lisbon',
    country: 'Portugal',
    zip: '1300-472',
    geo_lat: 38.7028,
    geo_lng: -9.1781,
  },
  'venue.update': { phone: '+351 21 000 0101' },
  'organizer.create': {
    organizer: 'Quayside Players',
    website: 'https://quayside-players.example',
    email: 'hello@quayside-players.example',
  },
  'organizer.update': { phone: '+351 21 000 0102' },
  'category.create': { name: 'Theatre', description: 'Plays, and those who put them on.' },
  'category.update': { description: 'Plays, revues and puppets.' },
  'tag.create': { name: 'Bring a friend' },
  'tag.update': { description: 'Two come for the price of one.' },
  'media.update': { alt_text: 'Two guitarists on a small stage' },
};
