import type { Target } from '../target.ts';
import { chat } from './chat.ts';
import { client } from './client.ts';
import { documents } from './documents.ts';
import { events } from './events.ts';
import { filters } from './filters.ts';
import { search } from './search.ts';
import { uploads } from './uploads.ts';
import { webhooks } from './webhooks.ts';

export const TARGETS: readonly Target[] = [
  events,
  filters,
  search,
  chat,
  uploads,
  documents,
  webhooks,
  client,
];
