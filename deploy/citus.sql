-- Spreads Gatehouse's tables over the servers of a Citus cluster by space. Run once on the coordinator, after a service
-- has made the schema and before there is much in it. docs/operations.md says what holds and what does not; it has
-- been checked against the schema by a test, and not been run on Citus.

-- On every server: few rows, referred to or joined by what is distributed.
select create_reference_table('users');
select create_reference_table('event_consumers');
select create_reference_table('event_identities_moved');

-- A space, and all that is its own beside it. What is referred to comes first.
select create_distributed_table('spaces', 'id', shard_count => 64);
select create_distributed_table('space_origins', 'space_id', colocate_with => 'spaces');
select create_distributed_table('bots', 'space_id', colocate_with => 'spaces');
select create_distributed_table('bot_members', 'space_id', colocate_with => 'spaces');
select create_distributed_table('api_keys', 'space_id', colocate_with => 'spaces');
select create_distributed_table('links', 'space_id', colocate_with => 'spaces');
select create_distributed_table('conversations', 'space_id', colocate_with => 'spaces');
select create_distributed_table('messages', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_sources', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_source_secrets', 'space_id', colocate_with => 'spaces');
select create_distributed_table('subscriptions', 'space_id', colocate_with => 'spaces');
select create_distributed_table('deliveries', 'space_id', colocate_with => 'spaces');
select create_distributed_table('knowledge_spaces', 'space_id', colocate_with => 'spaces');
select create_distributed_table('documents', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_values', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_parts', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_remains', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_events', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_sketches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_vectors', 'space_id', colocate_with => 'spaces');
select create_distributed_table('passages', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_heads', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_batches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_knowledge_batches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_cursors', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_counts', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_listeners', 'space_id', colocate_with => 'spaces');

-- By the same value in another type, which therefore cannot lie beside them.
select create_distributed_table('event_identities', 'space_id', shard_count => 64, colocate_with => 'none');

-- On the coordinator alone: of no space, and small.
-- local: accounts, installation, leases, migrations, rate_counts, replicas, semaphores, sessions, signing_keys, verifications

-- Asked on every server, since who asks does not know the space yet.
-- fans out: api_keys_hash, bot_members_user, bots_id, documents_unembedded, event_counts_minute, event_cursors_consumer, event_sources_source, links_id, links_token, space_origins_origin
