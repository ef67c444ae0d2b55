// Made by scripts/client.mjs from docs/openapi.json. Do not edit.

export interface components {
  schemas: {
    /** @description One of the sizes in which an image is stored. */
    ImageSize: {
      /** @description The width in pixels. */
      width: number;
      /** @description The height in pixels. */
      height: number;
      /** @description The media type of the file. */
      'mime-type': string;
      /** @description The size of the file in bytes. */
      filesize?: number;
      /**
       * Format: uri
       * @description The address of the file.
       */
      url: string;
    };
    /** @description The cost, broken down into its parts. */
    CostDetails: {
      /**
       * @description The currency symbol, if the cost has one.
       * @example $
       */
      currency_symbol: string;
      /**
       * @description The currency code; always empty.
       * @example
       */
      currency_code: string;
      /**
       * @description Whether the symbol stands before or after the number.
       * @enum {string}
       */
      currency_position: 'prefix' | 'postfix' | '';
      /**
       * @description The amounts, as strings, lowest first.
       * @example [
       *       "10",
       *       "20"
       *     ]
       */
      values: string[];
    };
    /** @description A category or tag. */
    Term: {
      /**
       * @description The ID.
       * @example 7
       */
      id: number;
      /**
       * @description How many published events have this term.
       * @example 12
       */
      count: number;
      /** @description The description. */
      description: string;
      /**
       * @description The name.
       * @example Music
       */
      name: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example music
       */
      slug: string;
      /**
       * @description The kind of term: tribe_events_cat is a category, post_tag a tag.
       * @enum {string}
       */
      taxonomy: 'tribe_events_cat' | 'post_tag';
      /**
       * @description The ID of the parent category; 0 for the top level.
       * @example 0
       */
      parent?: number;
      /** @description Always empty. */
      meta: unknown[];
      /**
       * Format: uri
       * @description The address of its page.
       */
      url: string;
      urls: components['schemas']['TermUrls'];
      /** @description Links to related records. */
      _links?: {
        [key: string]: unknown;
      };
      /** @description With _embed: the linked records themselves. */
      _embedded?: {
        [key: string]: unknown;
      };
    };
    /** @description A category or tag. */
    EventTerm: {
      /**
       * @description The name.
       * @example Music
       */
      name: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example music
       */
      slug: string;
      /** @description Always 0. */
      term_group: number;
      /** @description The ID. */
      term_taxonomy_id: number;
      /**
       * @description The kind of term: tribe_events_cat is a category, post_tag a tag.
       * @enum {string}
       */
      taxonomy: 'tribe_events_cat' | 'post_tag';
      /** @description The description. */
      description: string;
      /**
       * @description The ID of the parent category; 0 for the top level.
       * @example 0
       */
      parent: number;
      /**
       * @description How many published events have this term.
       * @example 12
       */
      count: number;
      /**
       * @description Always raw.
       * @example raw
       */
      filter: string;
      /**
       * @description The ID.
       * @example 7
       */
      id: number;
      urls: components['schemas']['TermUrls'];
    };
    /** @description Addresses in this interface. */
    TermUrls: {
      /**
       * Format: uri
       * @description The term itself.
       */
      self: string;
      /**
       * Format: uri
       * @description The list it belongs to.
       */
      collection: string;
      /**
       * Format: uri
       * @description Its parent, if it has one.
       */
      up?: string;
    };
    /** @description An image. */
    Image: {
      /**
       * Format: uri
       * @description The address of the file.
       */
      url: string;
      /** @description The ID. */
      id: number;
      /**
       * @description The file extension, without a dot.
       * @example jpg
       */
      extension: string;
      /** @description The width in pixels. */
      width?: number;
      /** @description The height in pixels. */
      height?: number;
      /** @description The size of the file in bytes. */
      filesize?: number;
      /** @description The alternative text of the image, for those who cannot see it. */
      alt_text?: string;
      /** @description The stored sizes, by name. */
      sizes?: {
        [key: string]: components['schemas']['ImageSize'];
      };
    };
    /** @description The parts of a date and time, each with leading zeros. */
    DateDetails: {
      /**
       * @description The year.
       * @example 2027
       */
      year: string;
      /**
       * @description The month.
       * @example 03
       */
      month: string;
      /**
       * @description The day of the month.
       * @example 09
       */
      day: string;
      /**
       * @description The hour, from 00 to 23.
       * @example 19
       */
      hour: string;
      /**
       * @description The minutes.
       * @example 30
       */
      minutes: string;
      /**
       * @description The seconds.
       * @example 00
       */
      seconds: string;
    };
    /** @description A ticket for an event. */
    Ticket: {
      /**
       * @description The name of the ticket.
       * @example Seat
       */
      name: string;
      /**
       * @description Who sells the ticket.
       * @example box office
       */
      provider: string;
      /**
       * @description The price.
       * @example 15
       */
      price?: number;
      /**
       * @description The currency, as a three-letter code.
       * @example EUR
       */
      currency?: string;
      /**
       * Format: uri
       * @description Where to buy the ticket.
       */
      url?: string;
      /**
       * @description How many tickets there are.
       * @example 120
       */
      capacity?: number;
      /**
       * @description When the sale starts, in UTC.
       * @example 2027-03-09 19:30:00
       */
      sale_starts?: string;
      /**
       * @description When the sale ends, in UTC.
       * @example 2027-03-09 19:30:00
       */
      sale_ends?: string;
    };
    /** @description An event. */
    Event: {
      /**
       * @description The ID.
       * @example 42
       */
      id: number;
      /**
       * @description An ID that is unique among all calendars.
       * @example example.org?id=42
       */
      global_id: string;
      /** @description The global ID, and those that the record had elsewhere before. */
      global_id_lineage: string[];
      /**
       * @description The ID of the author, as a string of digits.
       * @example 1
       */
      author: string;
      /**
       * @description The publication status.
       * @enum {string}
       */
      status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash';
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      date: string;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-03-09 19:30:00
       */
      date_utc: string;
      /**
       * @description When it was last changed, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      modified: string;
      /**
       * @description When it was last changed, in UTC.
       * @example 2027-03-09 19:30:00
       */
      modified_utc: string;
      /**
       * Format: uri
       * @description The address of its page.
       */
      url: string;
      /**
       * Format: uri
       * @description Its address in this interface.
       */
      rest_url: string;
      /**
       * @description The title, as HTML that is safe to insert into a page.
       * @example Fado by candlelight
       */
      title: string;
      /**
       * @description The description. Plain text becomes paragraphs; simple HTML is kept.
       * @example <p>Two guitars, one voice.</p>
       */
      description: string;
      /**
       * @description A short summary.
       * @example <p>Two guitars, one voice.</p>
       */
      excerpt: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug: string;
      /** @description The featured image, or false. */
      image: false | components['schemas']['Image'];
      /** @description Whether the event lasts all day. */
      all_day: boolean | null;
      /**
       * @description When it starts, in the local time of its own time zone.
       * @example 2027-03-09 19:30:00
       */
      start_date: string;
      start_date_details: components['schemas']['DateDetails'];
      /**
       * @description When it ends, in the local time of its own time zone.
       * @example 2027-03-09 19:30:00
       */
      end_date: string;
      end_date_details: components['schemas']['DateDetails'];
      /**
       * @description When it starts, in UTC.
       * @example 2027-03-09 19:30:00
       */
      utc_start_date: string;
      utc_start_date_details: components['schemas']['DateDetails'];
      /**
       * @description When it ends, in UTC.
       * @example 2027-03-09 19:30:00
       */
      utc_end_date: string;
      utc_end_date_details: components['schemas']['DateDetails'];
      /**
       * @description The time zone of the event, such as Europe/Lisbon, UTC or UTC+5.5. Empty means the time zone of the site.
       * @example Europe/Lisbon
       */
      timezone: string;
      /**
       * @description The abbreviation of the time zone at the start.
       * @example WET
       */
      timezone_abbr: string;
      /**
       * @description The cost, as shown to people.
       * @example $10 – $20
       */
      cost: string;
      cost_details: components['schemas']['CostDetails'];
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example/fado
       */
      website: string;
      /** @description Whether to show a map. */
      show_map: boolean | null;
      /** @description Whether to show a link to a map. */
      show_map_link: boolean | null;
      /** @description Whether to leave the event out of all lists. */
      hide_from_listings: boolean | null;
      /** @description Whether to pin the event in calendar views. */
      sticky: boolean | null;
      /** @description Whether the event is featured on the site. */
      featured: boolean | null;
      /** @description The categories of the event, sorted by name. */
      categories: components['schemas']['EventTerm'][];
      /** @description The tags of the event, sorted by name. */
      tags: components['schemas']['EventTerm'][];
      /** @description The venue; an empty list when there is none, a list when there are several. */
      venue: components['schemas']['Venue'] | components['schemas']['Venue'][];
      /** @description The organizers. */
      organizer: components['schemas']['Organizer'][];
      /** @description Additional fields; an empty list when there are none. */
      custom_fields:
        | unknown[]
        | {
            [key: string]: unknown;
          };
      /** @description The ID of the event that this one belongs to; 0 for none. */
      post_parent?: number;
      /** @description Who sells tickets; false when nobody does. */
      ticketed?: false | string[];
      /** @description Tickets for the event. */
      tickets?: components['schemas']['Ticket'][];
      /** @description The record as schema.org data; only when a single record is read. */
      json_ld?: {
        [key: string]: unknown;
      };
    };
    /** @description A venue. Empty fields are left out. */
    Venue: {
      /**
       * @description The ID.
       * @example 42
       */
      id: number;
      /**
       * @description The ID of the author, as a string of digits.
       * @example 1
       */
      author: string;
      /**
       * @description The publication status.
       * @enum {string}
       */
      status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash';
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      date: string;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-03-09 19:30:00
       */
      date_utc: string;
      /**
       * @description When it was last changed, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      modified: string;
      /**
       * @description When it was last changed, in UTC.
       * @example 2027-03-09 19:30:00
       */
      modified_utc: string;
      /**
       * Format: uri
       * @description The address of its page.
       */
      url: string;
      /**
       * @description The name of the venue.
       * @example Harbour Hall
       */
      venue: string;
      /**
       * @description The description of the venue.
       * @example <p>A former sail loft.</p>
       */
      description?: string;
      /**
       * @description A short summary.
       * @example
       */
      excerpt?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example harbour-hall
       */
      slug?: string;
      image?: components['schemas']['Image'];
      /**
       * @description The street address.
       * @example Quay 12
       */
      address?: string;
      /**
       * @description The city.
       * @example Lisbon
       */
      city?: string;
      /**
       * @description The country.
       * @example Portugal
       */
      country?: string;
      /**
       * @description The province.
       * @example Lisboa
       */
      province?: string;
      /**
       * @description The state.
       * @example NY
       */
      state?: string;
      /**
       * @description The postal code.
       * @example 1200-450
       */
      zip?: string;
      /**
       * @description The telephone number.
       * @example +351 21 000 0101
       */
      phone?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-hall.example
       */
      website?: string;
      /**
       * @description State or province in a single field; made from the two if it is not given.
       * @example Lisboa
       */
      stateprovince?: string;
      /**
       * @description The latitude, in degrees.
       * @example 38.7057
       */
      geo_lat?: number;
      /**
       * @description The longitude, in degrees.
       * @example -9.1445
       */
      geo_lng?: number;
      /** @description The record as schema.org data; only when a single record is read. */
      json_ld?: {
        [key: string]: unknown;
      };
      /** @description Whether events at this venue show a map. */
      show_map: boolean;
      /** @description Whether events at this venue show a link to a map. */
      show_map_link: boolean;
      /**
       * @description An ID that is unique among all calendars.
       * @example example.org?id=42
       */
      global_id: string;
      /** @description The global ID, and those that the record had elsewhere before. */
      global_id_lineage: string[];
    };
    /** @description An organizer. Empty fields are left out. */
    Organizer: {
      /**
       * @description The ID.
       * @example 42
       */
      id: number;
      /**
       * @description The ID of the author, as a string of digits.
       * @example 1
       */
      author: string;
      /**
       * @description The publication status.
       * @enum {string}
       */
      status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash';
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      date: string;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-03-09 19:30:00
       */
      date_utc: string;
      /**
       * @description When it was last changed, in the time zone of the site.
       * @example 2027-03-09 19:30:00
       */
      modified: string;
      /**
       * @description When it was last changed, in UTC.
       * @example 2027-03-09 19:30:00
       */
      modified_utc: string;
      /**
       * Format: uri
       * @description The address of its page.
       */
      url: string;
      /**
       * @description The name of the organizer.
       * @example Harbour Music Society
       */
      organizer: string;
      /**
       * @description The description of the organizer.
       * @example <p>Volunteers.</p>
       */
      description?: string;
      /**
       * @description A short summary.
       * @example
       */
      excerpt?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example harbour-music-society
       */
      slug?: string;
      image?: components['schemas']['Image'];
      /**
       * @description The telephone number.
       * @example +351 21 000 0102
       */
      phone?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description The e-mail address.
       * @example hello@harbour-music.example
       */
      email?: string;
      /** @description The record as schema.org data; only when a single record is read. */
      json_ld?: {
        [key: string]: unknown;
      };
      /**
       * @description An ID that is unique among all calendars.
       * @example example.org?id=42
       */
      global_id: string;
      /** @description The global ID, and those that the record had elsewhere before. */
      global_id_lineage: string[];
    };
    /** @description What went wrong. */
    Error: {
      /**
       * @description A code that does not change.
       * @example rest_invalid_param
       */
      code: string;
      /**
       * @description A sentence for people, in the language asked for.
       * @example Invalid parameter(s): start_date
       */
      message: string;
      /** @description The HTTP status and, for parameters, what is wrong with each. */
      data: {
        /** @example 400 */
        status: number;
        params?:
          | {
              [key: string]: string;
            }
          | string[];
        details?:
          | {
              [key: string]: unknown;
            }
          | unknown[];
      };
    };
    EventCreate: {
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The title, as HTML that is safe to insert into a page.
       * @example Fado by candlelight
       */
      title: string;
      /**
       * @description The description. Plain text becomes paragraphs; simple HTML is kept.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description A short summary.
       * @example Two guitars, one voice.
       */
      excerpt?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description The time zone of the event, such as Europe/Lisbon, UTC or UTC+5.5. Empty means the time zone of the site.
       * @example Europe/Lisbon
       */
      timezone?: string;
      /**
       * @description Whether the event lasts all day.
       * @example true
       */
      all_day?: boolean;
      /**
       * @description When the event starts: wall-clock time in the time zone of the event, or an instant with a UTC offset.
       * @example 2027-03-09 19:30:00
       */
      start_date: string | number;
      /**
       * @description When the event ends: wall-clock time in the time zone of the event, or an instant with a UTC offset.
       * @example 2027-03-09 22:00:00
       */
      end_date: string | number;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description What it costs: an amount, a string, or a list of amounts.
       * @example $10
       */
      cost?: string | number | unknown[];
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description Whether to show a map.
       * @example true
       */
      show_map?: boolean | string;
      /**
       * @description Whether to show a link to a map.
       * @example true
       */
      show_map_link?: boolean | string;
      /**
       * @description Whether to leave the event out of all lists.
       * @example true
       */
      hide_from_listings?: boolean;
      /**
       * @description Whether to pin the event in calendar views.
       * @example true
       */
      sticky?: boolean;
      /**
       * @description Whether the event is featured on the site.
       * @example true
       */
      featured?: boolean;
      /**
       * @description Categories, each by ID or by name. Names that do not exist yet are added.
       * @example [
       *       "music"
       *     ]
       */
      categories?: (number | string) | (number | string)[];
      /**
       * @description Tags, each by ID or by name. Names that do not exist yet are added.
       * @example [
       *       "evening"
       *     ]
       */
      tags?: (number | string) | (number | string)[];
      /**
       * @description Venues, each by ID, by name, or as the fields of a new venue.
       * @example [
       *       12
       *     ]
       */
      venue?:
        | ((number | string) | components['schemas']['VenueCreate'])
        | ((number | string) | components['schemas']['VenueCreate'])[];
      /**
       * @description Organizers, each by ID, by name, or as the fields of a new organizer.
       * @example [
       *       14
       *     ]
       */
      organizer?:
        | ((number | string) | components['schemas']['OrganizerCreate'])
        | ((number | string) | components['schemas']['OrganizerCreate'])[];
      /**
       * @description Tickets for the event.
       * @example [
       *       {
       *         "name": "Seat",
       *         "price": 15,
       *         "currency": "EUR"
       *       }
       *     ]
       */
      tickets?: components['schemas']['TicketInput'][];
      /**
       * @description The ID of the event that this one belongs to; 0 for none.
       * @example 42
       */
      post_parent?: number | string;
      /**
       * @description A password that protects the event.
       * @example lantern
       */
      password?: string;
    };
    EventUpdate: {
      /**
       * @description The password that opens a protected event.
       * @example lantern
       */
      password?: string;
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The title, as HTML that is safe to insert into a page.
       * @example Fado by candlelight
       */
      title?: string;
      /**
       * @description The description. Plain text becomes paragraphs; simple HTML is kept.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description A short summary.
       * @example Two guitars, one voice.
       */
      excerpt?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description The time zone of the event, such as Europe/Lisbon, UTC or UTC+5.5. Empty means the time zone of the site.
       * @example Europe/Lisbon
       */
      timezone?: string;
      /**
       * @description Whether the event lasts all day.
       * @example true
       */
      all_day?: boolean;
      /**
       * @description When the event starts: wall-clock time in the time zone of the event, or an instant with a UTC offset.
       * @example 2027-03-09 19:30:00
       */
      start_date?: string | number;
      /**
       * @description When the event ends: wall-clock time in the time zone of the event, or an instant with a UTC offset.
       * @example 2027-03-09 22:00:00
       */
      end_date?: string | number;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description What it costs: an amount, a string, or a list of amounts.
       * @example $10
       */
      cost?: string | number | unknown[];
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description Whether to show a map.
       * @example true
       */
      show_map?: boolean | string;
      /**
       * @description Whether to show a link to a map.
       * @example true
       */
      show_map_link?: boolean | string;
      /**
       * @description Whether to leave the event out of all lists.
       * @example true
       */
      hide_from_listings?: boolean;
      /**
       * @description Whether to pin the event in calendar views.
       * @example true
       */
      sticky?: boolean;
      /**
       * @description Whether the event is featured on the site.
       * @example true
       */
      featured?: boolean;
      /**
       * @description Categories, each by ID or by name. Names that do not exist yet are added.
       * @example [
       *       "music"
       *     ]
       */
      categories?: (number | string) | (number | string)[];
      /**
       * @description Tags, each by ID or by name. Names that do not exist yet are added.
       * @example [
       *       "evening"
       *     ]
       */
      tags?: (number | string) | (number | string)[];
      /**
       * @description Venues, each by ID, by name, or as the fields of a new venue.
       * @example [
       *       12
       *     ]
       */
      venue?:
        | ((number | string) | components['schemas']['VenueCreate'])
        | ((number | string) | components['schemas']['VenueCreate'])[];
      /**
       * @description Organizers, each by ID, by name, or as the fields of a new organizer.
       * @example [
       *       14
       *     ]
       */
      organizer?:
        | ((number | string) | components['schemas']['OrganizerCreate'])
        | ((number | string) | components['schemas']['OrganizerCreate'])[];
      /**
       * @description Tickets for the event.
       * @example [
       *       {
       *         "name": "Seat",
       *         "price": 15,
       *         "currency": "EUR"
       *       }
       *     ]
       */
      tickets?: components['schemas']['TicketInput'][];
      /**
       * @description The ID of the event that this one belongs to; 0 for none.
       * @example 42
       */
      post_parent?: number | string;
      /**
       * @description A new password that protects the event; an empty value removes the protection.
       * @example lantern
       */
      new_password?: string;
    };
    VenueCreate: {
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The name of the venue.
       * @example Harbour Hall
       */
      venue: string;
      /**
       * @description The description of the venue.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description Whether events at this venue show a map.
       * @example true
       */
      show_map?: boolean | string;
      /**
       * @description Whether events at this venue show a link to a map.
       * @example true
       */
      show_map_link?: boolean | string;
      /**
       * @description The street address.
       * @example Quay 12
       */
      address?: string;
      /**
       * @description The city.
       * @example Lisbon
       */
      city?: string;
      /**
       * @description The country.
       * @example Portugal
       */
      country?: string;
      /**
       * @description The province.
       * @example Lisboa
       */
      province?: string;
      /**
       * @description The state.
       * @example NY
       */
      state?: string;
      /**
       * @description The postal code.
       * @example 1200-450
       */
      zip?: string;
      /**
       * @description The telephone number.
       * @example +351 21 000 0101
       */
      phone?: string;
      /**
       * @description State or province in a single field; made from the two if it is not given.
       * @example Lisboa
       */
      stateprovince?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description The latitude, in degrees.
       * @example 38.7057
       */
      geo_lat?: number | string;
      /**
       * @description The longitude, in degrees.
       * @example -9.1445
       */
      geo_lng?: number | string;
    };
    VenueUpdate: {
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The name of the venue.
       * @example Harbour Hall
       */
      venue?: string;
      /**
       * @description The description of the venue.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description Whether events at this venue show a map.
       * @example true
       */
      show_map?: boolean | string;
      /**
       * @description Whether events at this venue show a link to a map.
       * @example true
       */
      show_map_link?: boolean | string;
      /**
       * @description The street address.
       * @example Quay 12
       */
      address?: string;
      /**
       * @description The city.
       * @example Lisbon
       */
      city?: string;
      /**
       * @description The country.
       * @example Portugal
       */
      country?: string;
      /**
       * @description The province.
       * @example Lisboa
       */
      province?: string;
      /**
       * @description The state.
       * @example NY
       */
      state?: string;
      /**
       * @description The postal code.
       * @example 1200-450
       */
      zip?: string;
      /**
       * @description The telephone number.
       * @example +351 21 000 0101
       */
      phone?: string;
      /**
       * @description State or province in a single field; made from the two if it is not given.
       * @example Lisboa
       */
      stateprovince?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description The latitude, in degrees.
       * @example 38.7057
       */
      geo_lat?: number | string;
      /**
       * @description The longitude, in degrees.
       * @example -9.1445
       */
      geo_lng?: number | string;
    };
    OrganizerCreate: {
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The name of the organizer.
       * @example Harbour Music Society
       */
      organizer: string;
      /**
       * @description The description of the organizer.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description The telephone number.
       * @example +351 21 000 0101
       */
      phone?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description The e-mail address.
       * @example hello@harbour-music.example
       */
      email?: string;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
    };
    OrganizerUpdate: {
      /**
       * @description The ID of the user who is the author.
       * @example 1
       */
      author?: number;
      /**
       * @description The date of publication, in the time zone of the site.
       * @example 2027-01-15 08:00:00
       */
      date?: string | number;
      /**
       * @description The date of publication, in UTC.
       * @example 2027-01-15 08:00:00
       */
      date_utc?: string | number;
      /**
       * @description The name of the organizer.
       * @example Harbour Music Society
       */
      organizer?: string;
      /**
       * @description The description of the organizer.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The publication status: publish, future, draft, pending, private or trash.
       * @example publish
       */
      status?: string;
      /**
       * @description The telephone number.
       * @example +351 21 000 0101
       */
      phone?: string;
      /**
       * @description The address of a website, beginning with http:// or https://.
       * @example https://harbour-music.example
       */
      website?: string;
      /**
       * @description The e-mail address.
       * @example hello@harbour-music.example
       */
      email?: string;
      /**
       * @description The featured image: the ID of an uploaded image, or its web address.
       * @example 51
       */
      image?: string | number;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
    };
    CategoryCreate: {
      /**
       * @description The name.
       * @example Music
       */
      name: string;
      /**
       * @description The description.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description The ID of the parent category; 0 for the top level.
       * @example 7
       */
      parent?: number | string;
    };
    CategoryUpdate: {
      /**
       * @description The name.
       * @example Music
       */
      name?: string;
      /**
       * @description The description.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
      /**
       * @description The ID of the parent category; 0 for the top level.
       * @example 7
       */
      parent?: number | string;
    };
    TagCreate: {
      /**
       * @description The name.
       * @example Music
       */
      name: string;
      /**
       * @description The description.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
    };
    TagUpdate: {
      /**
       * @description The name.
       * @example Music
       */
      name?: string;
      /**
       * @description The description.
       * @example Two guitars, one voice.
       *
       *     Doors open at seven.
       */
      description?: string;
      /**
       * @description The slug: the readable part of the address of the page.
       * @example fado-by-candlelight
       */
      slug?: string;
    };
    MediaUpdate: {
      /**
       * @description The alternative text of the image, for those who cannot see it.
       * @example Two guitarists on a small stage
       */
      alt_text?: string;
    };
    TicketInput: {
      /**
       * @description The name of the ticket.
       * @example Music
       */
      name: string;
      /**
       * @description Who sells the ticket.
       * @example box office
       */
      provider?: string;
      /**
       * @description The price.
       * @example 15
       */
      price?: number | string;
      /**
       * @description The currency, as a three-letter code.
       * @example EUR
       */
      currency?: string;
      /**
       * @description Where to buy the ticket.
       * @example https://harbour-music.example/fado/tickets
       */
      url?: string;
      /**
       * @description How many tickets there are.
       * @example 120
       */
      capacity?: number | string;
      /**
       * @description When the sale starts, in UTC.
       * @example 2027-01-15 08:00:00
       */
      sale_starts?: string | number;
      /**
       * @description When the sale ends, in UTC.
       * @example 2027-03-09 18:00:00
       */
      sale_ends?: string | number;
    };
  };
  responses: never;
  parameters: {
    /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
    _fields: string | string[];
    /** @description If given, with any value, the body is indented to be easier to read. */
    _pretty: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  getIndex: {
    parameters: {
      query?: {
        namespace?: string;
        context?: string;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  getDoc: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Events that start on or after this date; by default today, unless a starts_… or ends_… filter is given. */
        start_date?: string | number;
        /** @description Events that end on or before this date; by default two years from today, unless a starts_… or ends_… filter is given. */
        end_date?: string | number;
        /** @description Events that start before this date. */
        starts_before?: string | number;
        /** @description Events that start after this date. */
        starts_after?: string | number;
        /** @description Events that end before this date. */
        ends_before?: string | number;
        /** @description Events that end after this date. */
        ends_after?: string | number;
        /** @description Whether dates are compared to the second; if not, by whole days. */
        strict_dates?: boolean | string;
        /** @description Events that contain all of these words in title, description or excerpt. "A phrase" in quotes is matched as a whole, -word excludes. */
        search?: string;
        /** @description Events in one of these categories or their subcategories, by ID, slug or name. */
        categories?: (number | string) | (number | string)[];
        /** @description Events with one of these tags, by ID, slug or name. */
        tags?: (number | string) | (number | string)[];
        /** @description Events at one of these venues, by ID. */
        venue?: number | number[];
        /** @description Events of one of these organizers, by ID. */
        organizer?: number | number[];
        /** @description Only featured events, or only those that are not. */
        featured?: boolean;
        /** @description Only records with this status, or with one of several separated by commas; any means every status except trash. Callers without the right to edit may ask for publish only. */
        status?: string | string[];
        /** @description Only events at a venue with coordinates, or only the others. */
        geoloc?: boolean;
        /** @description The latitude of a point to search around; needs geoloc_lng too. */
        geoloc_lat?: number;
        /** @description The longitude of a point to search around; needs geoloc_lat too. */
        geoloc_lng?: number;
        /** @description Only these events, by ID. Date filters are then ignored. */
        include?: number | number[];
        /** @description Only events that belong to this event, by ID. */
        post_parent?: number | string;
        /** @description Only events with tickets, or only those without. */
        ticketed?: boolean;
        /** @description With edit, callers also see records that are visible only to those who may edit them. */
        context?: 'view' | 'edit';
        /** @description The password that opens a protected event. */
        password?: string;
        /** @description How far around the point to search, in kilometres. */
        geoloc_distance?: number;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            events: components['schemas']['Event'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createEvent: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description *: if a record already has the slug, nothing is created, and the response is 412. */
        'If-None-Match'?: '*';
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EventCreate'];
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'];
        };
      };
    };
  };
  getEvent: {
    parameters: {
      query?: {
        /** @description The password that opens a protected event. */
        password?: string;
        /** @description With edit, callers also see records that are visible only to those who may edit them. */
        context?: 'view' | 'edit';
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the event. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'];
        };
      };
    };
  };
  updateEvent: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the event. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EventUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'];
        };
      };
    };
  };
  deleteEvent: {
    parameters: {
      query?: {
        /** @description The password that opens a protected event. */
        password?: string;
        /** @description Remove the record for good instead of moving it to the trash. */
        force?: boolean;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the event. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'];
        };
      };
    };
  };
  listVenues: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Records that contain all of these words in name, description or other text fields. */
        search?: string;
        /** @description Only those of this event, by ID. */
        event?: number;
        /** @description Only those that have events, or only those that have none. */
        has_events?: boolean | string;
        /** @description Only those with an event that has not ended yet. */
        only_with_upcoming?: boolean | string;
        /** @description Only records with this status, or with one of several separated by commas; any means every status except trash. Callers without the right to edit may ask for publish only. */
        status?: string | string[];
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            venues: components['schemas']['Venue'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createVenue: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description *: if a record already has the slug, nothing is created, and the response is 412. */
        'If-None-Match'?: '*';
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VenueCreate'];
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Venue'];
        };
      };
    };
  };
  getVenue: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the venue. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Venue'];
        };
      };
    };
  };
  updateVenue: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the venue. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['VenueUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Venue'];
        };
      };
    };
  };
  deleteVenue: {
    parameters: {
      query?: {
        /** @description Remove the record for good instead of moving it to the trash. */
        force?: boolean;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the venue. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Venue'];
        };
      };
    };
  };
  listOrganizers: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Records that contain all of these words in name, description or other text fields. */
        search?: string;
        /** @description Only those of this event, by ID. */
        event?: number;
        /** @description Only those that have events, or only those that have none. */
        has_events?: boolean | string;
        /** @description Only those with an event that has not ended yet. */
        only_with_upcoming?: boolean | string;
        /** @description Only records with this status, or with one of several separated by commas; any means every status except trash. Callers without the right to edit may ask for publish only. */
        status?: string | string[];
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            organizers: components['schemas']['Organizer'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createOrganizer: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description *: if a record already has the slug, nothing is created, and the response is 412. */
        'If-None-Match'?: '*';
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OrganizerCreate'];
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organizer'];
        };
      };
    };
  };
  getOrganizer: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the organizer. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organizer'];
        };
      };
    };
  };
  updateOrganizer: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the organizer. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['OrganizerUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organizer'];
        };
      };
    };
  };
  deleteOrganizer: {
    parameters: {
      query?: {
        /** @description Remove the record for good instead of moving it to the trash. */
        force?: boolean;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the organizer. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Organizer'];
        };
      };
    };
  };
  listCategories: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Only those that contain all of these words in name, slug or description. */
        search?: string;
        /** @description Leave these out, by ID or slug. */
        exclude?: (number | string) | (number | string)[];
        /** @description Only these, by ID or slug. */
        include?: number | number[];
        /** @description The sort direction: asc or desc. */
        order?: 'asc' | 'desc';
        /** @description What to sort by: name, id, slug, count, description, parent, include or none. */
        orderby?: string;
        /** @description Whether to leave out those without published events. */
        hide_empty?: boolean;
        /** @description Only children of this category, by ID; 0 means the top level. */
        parent?: number | string;
        /** @description Only those of this event, by ID. */
        post?: number;
        /** @description Only those of this event, by ID; takes precedence over post. */
        event?: number;
        /** @description Only the one with this slug. */
        slug?: string;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            categories: components['schemas']['Term'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createCategory: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description *: if a record already has the slug, nothing is created, and the response is 412. */
        'If-None-Match'?: '*';
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CategoryCreate'];
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  getCategory: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the category. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  updateCategory: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the category. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['CategoryUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  deleteCategory: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the category. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  listTags: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Only those that contain all of these words in name, slug or description. */
        search?: string;
        /** @description Leave these out, by ID or slug. */
        exclude?: (number | string) | (number | string)[];
        /** @description Only these, by ID or slug. */
        include?: number | number[];
        /** @description The sort direction: asc or desc. */
        order?: 'asc' | 'desc';
        /** @description What to sort by: name, id, slug, count, description, parent, include or none. */
        orderby?: string;
        /** @description Whether to leave out those without published events. */
        hide_empty?: boolean;
        /** @description Only those of this event, by ID. */
        post?: number;
        /** @description Only those of this event, by ID; takes precedence over post. */
        event?: number;
        /** @description Only the one with this slug. */
        slug?: string;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            tags: components['schemas']['Term'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createTag: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description *: if a record already has the slug, nothing is created, and the response is 412. */
        'If-None-Match'?: '*';
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TagCreate'];
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  getTag: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the tag. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  updateTag: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the tag. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['TagUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  deleteTag: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the tag. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Term'];
        };
      };
    };
  };
  listMedia: {
    parameters: {
      query?: {
        /** @description The page of the list to return. */
        page?: number;
        /** @description The number of records per page, up to the maximum of this site. */
        per_page?: number;
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description The records of this page. */
            media: components['schemas']['Image'][];
            /**
             * Format: uri
             * @description The address of this page of the list.
             */
            rest_url: string;
            /**
             * Format: uri
             * @description The address of the next page; absent on the last.
             */
            next_rest_url?: string;
            /**
             * Format: uri
             * @description The address of the previous page; absent on the first.
             */
            previous_rest_url?: string;
            /**
             * @description How many records there are on all pages.
             * @example 42
             */
            total: number;
            /**
             * @description How many pages there are.
             * @example 5
             */
            total_pages: number;
          };
        };
      };
    };
  };
  createMedia: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          file: string;
          alt_text?: string;
        };
        'image/*': unknown;
      };
    };
    responses: {
      /** @description The record that was created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Image'];
        };
      };
    };
  };
  getMedia: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path: {
        /** @description The ID of the image. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Image'];
        };
      };
    };
  };
  updateMedia: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
        /** @description Any text of your choice, new for each record that you create. If the request is repeated with the same key within 24 hours, nothing is done again, and the first response is returned once more. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The ID of the image. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['MediaUpdate'];
      };
    };
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Image'];
        };
      };
    };
  };
  deleteMedia: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: {
        /** @description The ETag of the version that is to be changed; if the record has another version by now, the request is refused with 412. */
        'If-Match'?: string;
      };
      path: {
        /** @description The ID of the image. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Image'];
        };
      };
    };
  };
  getMe: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Whether your credentials were accepted. */
            authenticated: boolean;
            /** @description The ID. */
            id: number;
            /**
             * @description Your user name; empty for anonymous callers.
             * @example ada
             */
            username: string;
            /**
             * @description Your role; empty for anonymous callers.
             * @example editor
             */
            role: string;
            /** @description What you may do. */
            rights: {
              create: boolean;
              publish: boolean;
              edit_others: boolean;
              upload: boolean;
              manage_categories: boolean;
              manage_tags: boolean;
            };
            /**
             * @description Whether the Authorization header reached the server: received or missing.
             * @example received
             */
            authorization_header: string;
            /**
             * @description The scheme of that header.
             * @example basic
             */
            authorization_scheme: string;
          };
        };
      };
    };
  };
  getOpenapi: {
    parameters: {
      query?: {
        /** @description Only these fields of the response, separated by commas; a dot leads into records and lists, as in events.title. */
        _fields?: components['parameters']['_fields'];
        /** @description If given, with any value, the body is indented to be easier to read. */
        _pretty?: components['parameters']['_pretty'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request succeeded. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
    };
  };
}

/** The codes by which the interface says what went wrong. */
export type ErrorCode =
  | 'bad-request'
  | 'body-too-large'
  | 'could-not-create-organizer'
  | 'could-not-create-venue'
  | 'could-not-update-organizer'
  | 'could-not-update-venue'
  | 'db_insert_error'
  | 'duplicate_term_slug'
  | 'empty_content'
  | 'empty_term_name'
  | 'event-archive-page-not-found'
  | 'event-is-in-trash'
  | 'event-no-longer-available'
  | 'event-not-accessible'
  | 'event-password-protected'
  | 'idempotency-conflict'
  | 'idempotency-key'
  | 'idempotency-mismatch'
  | 'incorrect_password'
  | 'invalid_term_name'
  | 'media-in-use'
  | 'media-not-found'
  | 'media-too-large'
  | 'media-type'
  | 'organizer-archive-page-not-found'
  | 'organizer-is-in-trash'
  | 'organizer-not-accessible'
  | 'organizer-not-found'
  | 'precondition-failed'
  | 'rest-event-not-found'
  | 'rest_cookie_invalid_nonce'
  | 'rest_forbidden'
  | 'rest_invalid_json'
  | 'rest_invalid_namespace'
  | 'rest_invalid_param'
  | 'rest_missing_callback_param'
  | 'rest_taxonomy_not_hierarchical'
  | 'service-unavailable'
  | 'term-not-found'
  | 'term_exists'
  | 'too-many-requests'
  | 'venue-archive-page-not-found'
  | 'venue-is-in-trash'
  | 'venue-not-accessible'
  | 'venue-not-found';
