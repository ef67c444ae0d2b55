import { defineTermKind } from '../records/term.js';

export const tagKind = defineTermKind('tag', 'tags');
