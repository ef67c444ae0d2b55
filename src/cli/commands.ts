import { backup } from './backup.js';
import { check } from './check.js';
import type { Group } from './command.js';
import { config } from './config.js';
import { copy } from './copy.js';
import { credentialCommands } from './credential.js';
import { exportCommand } from './export.js';
import { importCommand } from './import.js';
import { media } from './media.js';
import { migrateCommand } from './migrate.js';
import { restore } from './restore.js';
import { serve } from './serve.js';
import { user } from './user.js';

/** The whole command line. */
export const COMMANDS: Group = {
  summary: 'An event calendar service',
  commands: {
    serve,
    user,
    password: credentialCommands('password'),
    token: credentialCommands('token'),
    migrate: migrateCommand,
    config,
    backup,
    restore,
    copy,
    export: exportCommand,
    import: importCommand,
    check,
    media,
  },
};
