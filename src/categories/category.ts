import { defineTermKind } from '../records/term.js';

export const categoryKind = defineTermKind('category', 'categories');
