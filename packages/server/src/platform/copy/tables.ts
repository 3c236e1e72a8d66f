import type { CopyTable } from '../../storage/ports/index.ts';

const OF_DOCUMENT = ['space_id', 'document', 'position'];

/** The tables that are copied row by row. Referenced tables precede the tables that refer to them. */
export const TABLES: readonly CopyTable[] = [
  { name: 'users', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'accounts', key: ['id'] },
  { name: 'verifications', key: ['id'] },
  { name: 'spaces', key: ['id'] },
  { name: 'space_origins', key: ['space_id', 'position'] },
  { name: 'bots', key: ['space_id', 'id'] },
  { name: 'bot_members', key: ['space_id', 'bot_id', 'user_id'] },
  { name: 'api_keys', key: ['space_id', 'id'] },
  { name: 'links', key: ['space_id', 'id'] },
  { name: 'conversations', key: ['space_id', 'id'] },
  { name: 'messages', key: ['space_id', 'id'] },
  { name: 'event_sources', key: ['space_id', 'id'] },
  { name: 'event_source_secrets', key: ['space_id', 'id'] },
  { name: 'event_consumers', key: ['name'] },
  { name: 'event_cursors', key: ['space_id', 'consumer'] },
  { name: 'subscriptions', key: ['space_id', 'id'] },
  { name: 'deliveries', key: ['space_id', 'subscription_id', 'position'], isHeavy: true },
  { name: 'successful_deliveries', key: ['space_id', 'subscription_id', 'sequence'] },
  { name: 'rejected_events', key: ['space_id', 'id'] },
  { name: 'signing_keys', key: ['generation'] },
  {
    name: 'event_batches',
    key: ['space_id', 'last_position'],
    columns: [
      'space_id',
      'last_position',
      'count',
      'received_at',
      'encoding',
      'identities',
      'ends',
      'texts',
    ],
    outlivesSpace: true,
    isHeavy: true,
  },
  // The copy drops duplicate events from a batch, so this size can differ.
  { name: 'event_heads', key: ['space_id'], outlivesSpace: true, derived: ['bytes'] },
  {
    name: 'event_knowledge_batches',
    key: ['space_id', 'last_position'],
    outlivesSpace: true,
  },
  {
    name: 'knowledge_spaces',
    key: ['space_id'],
    columns: ['space_id', 'number'],
    outlivesSpace: true,
  },
  {
    name: 'documents',
    key: ['space_id', 'number'],
    outlivesSpace: true,
    derived: ['metadata_folded', 'metadata_collected'],
  },
  {
    name: 'document_values',
    key: ['space_id', 'path', 'value', 'document'],
    outlivesSpace: true,
  },
  {
    name: 'document_parts',
    key: ['space_id', 'document', 'part'],
    ofDocument: 'part',
    isHeavy: true,
  },
  { name: 'document_events', key: ['space_id', 'subject'], outlivesSpace: true },
  {
    name: 'passages',
    key: OF_DOCUMENT,
    columns: [...OF_DOCUMENT, 'heading', 'text'],
    ofDocument: 'position',
  },
  {
    name: 'document_sketches',
    key: OF_DOCUMENT,
    columns: [...OF_DOCUMENT, 'model', 'dimensions', 'sketches'],
    ofDocument: 'position',
  },
  {
    name: 'document_vectors',
    key: OF_DOCUMENT,
    columns: [...OF_DOCUMENT, 'vectors'],
    ofDocument: 'position',
  },
];
