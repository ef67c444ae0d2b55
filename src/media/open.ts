import type { Config } from '../config.js';
import { mediaPlace } from '../config.media.js';
import type { Database } from '../db/database.js';
import type { Files } from './files.js';
import { filesInFolder } from './folder.js';
import { createMedia, type Media } from './media.js';
import { filesInBucket } from './s3.js';

type Access = Pick<Config, 'awsAccessKeyId' | 'awsSecretAccessKey'>;

/** The store behind an address that `mediaPlace` accepts. */
export function filesAt(url: string, { awsAccessKeyId = '', awsSecretAccessKey = '' }: Access): Files {
  const place = mediaPlace(url);
  if ('problem' in place) throw new Error(`The place for images ${place.problem}`);
  return 'folder' in place.value
    ? filesInFolder(place.value.folder)
    : filesInBucket(place.value, { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey });
}

export const mediaOf = (config: Config, database: Database): Media =>
  createMedia({
    database,
    files: filesAt(config.mediaUrl, config),
    bytes: config.mediaLimit,
    pixels: config.mediaPixels,
    allow: config.fetchAllow,
    fetchSeconds: config.fetchTimeout,
  });
