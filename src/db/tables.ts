/** The tables as the query builder sees them; the migrations are authoritative, and a test compares the two. */
export type Flag = 0 | 1;
export type Status = 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash';

export interface CounterTable {
  name: string;
  value: number;
}
export interface SettingTable {
  name: string;
  value: string;
}
export interface UserTable {
  id: number;
  username: string;
  username_key: string;
  role: string;
  created_at: number;
  removed_at: number | null;
}
export interface CredentialTable {
  id: number;
  user_id: number;
  kind: 'password' | 'token';
  name: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}
export interface SessionTable {
  hash: string;
  credential_id: number;
  expires_at: number;
}
export interface RecordTable {
  id: number;
  kind: string;
}
export interface TombstoneTable {
  kind: string;
  id: number;
  uid: string;
  change_seq: number;
  removed_at: number;
}

/** What events, venues and organizers have in common. */
export interface PostColumns {
  id: number;
  uid: string;
  revision: number;
  change_seq: number;
  created_at: number;
  author_id: number;
  status: Status;
  status_before_trash: Status | null;
  date_utc: number;
  modified_utc: number;
  slug: string;
  description: string;
  image_id: number | null;
}
export interface EventTable extends PostColumns {
  title: string;
  excerpt: string;
  password_hash: string | null;
  all_day: Flag;
  timezone: string;
  start_local: string;
  end_local: string;
  start_utc: number;
  end_utc: number;
  /** JSON: the cost texts as given. */
  cost: string;
  /** null: never given; the event's own page is used instead. */
  website: string | null;
  show_map: Flag;
  show_map_link: Flag;
  hide_from_listings: Flag;
  sticky: Flag;
  featured: Flag;
  ticketed: Flag;
  /** JSON: list of tickets, always read and written as a whole; null: never given. */
  tickets: string | null;
  parent_id: number | null;
  /** Reserved: nothing writes or reads these two yet. */
  custom_fields: string | null;
  lineage: string | null;
}
export interface VenueTable extends PostColumns {
  name: string;
  name_key: string;
  address: string;
  city: string;
  country: string;
  province: string;
  state: string;
  zip: string;
  phone: string;
  website: string;
  stateprovince: string;
  geo_lat: number | null;
  geo_lng: number | null;
  geo_x: number | null;
  geo_y: number | null;
  geo_z: number | null;
  show_map: Flag;
  show_map_link: Flag;
}
export interface OrganizerTable extends PostColumns {
  name: string;
  name_key: string;
  phone: string;
  website: string;
  email: string;
}
export interface EventVenueTable {
  event_id: number;
  venue_id: number;
  position: number;
}
export interface EventOrganizerTable {
  event_id: number;
  organizer_id: number;
  position: number;
}
export interface TermTable {
  id: number;
  kind: 'category' | 'tag';
  uid: string;
  revision: number;
  change_seq: number;
  name: string;
  name_key: string;
  slug: string;
  description: string;
  parent_id: number | null;
  count: number;
}
export interface EventTermTable {
  event_id: number;
  term_id: number;
}

export interface ImageTable {
  id: number;
  uid: string;
  author_id: number;
  created_at: number;
  /** Random; the files are `file.extension` and `file-size.extension`. */
  file: string;
  extension: string;
  mime: string;
  width: number;
  height: number;
  filesize: number;
  /** JSON: size name to width, height and file size. */
  sizes: string;
  alt: string;
  /** Of a picture that was fetched: its address, behind the id of who gave it. */
  source_url: string | null;
}

export interface InstanceTable {
  id: string;
  version: string;
  host: string;
  /** The number of the last migration it knows. */
  knows: number;
  seen_at: number;
}
/** Idempotency-Key, by caller; `answer` is JSON, null while the request is running. */
export interface RequestKeyTable {
  user_id: number;
  name: string;
  fingerprint: string;
  claim: string;
  expires_at: number;
  answer: string | null;
}
/** The counts of limits, for all instances together. */
export interface TallyTable {
  who: string;
  n: number;
  expires_at: number;
}

export interface ChangeTable {
  seq: number;
  kind: 'event' | 'venue' | 'organizer' | 'term' | 'image';
  id: number;
  day_before: number | null;
  day_after: number | null;
}

/** Files of pictures that no row refers to: about to get one, or to be removed. */
export interface LooseFileTable {
  /** As in `image`. */
  file: string;
  /** JSON: the names of the files. */
  names: string;
  /** 0: no row will refer to them any more. */
  noted_at: number;
}

export interface Tables {
  counter: CounterTable;
  setting: SettingTable;
  user: UserTable;
  credential: CredentialTable;
  session: SessionTable;
  record: RecordTable;
  image: ImageTable;
  loose_file: LooseFileTable;
  tombstone: TombstoneTable;
  event: EventTable;
  venue: VenueTable;
  organizer: OrganizerTable;
  event_venue: EventVenueTable;
  event_organizer: EventOrganizerTable;
  term: TermTable;
  event_term: EventTermTable;
  instance: InstanceTable;
  change_log: ChangeTable;
  request_key: RequestKeyTable;
  tally: TallyTable;
}

export type PostTable = 'event' | 'venue' | 'organizer';
export type LinkedTable = Exclude<PostTable, 'event'>;

/** Without what every record of these kinds has. */
export type OwnColumnsOf<T> = Omit<T, Exclude<keyof PostColumns, 'description' | 'image_id'>>;
