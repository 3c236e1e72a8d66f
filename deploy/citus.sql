-- Distributes the tables over the servers of a Citus cluster by space. Run it once on the coordinator, after a service has
-- created the schema and before the tables are large. A test compares this file with the schema. We have not run it on
-- Citus; docs/operations.md lists the known problems.

-- On every server: small tables that distributed tables reference or join.
select create_reference_table('users');
select create_reference_table('event_consumers');
select create_reference_table('event_identities_moved');

-- Spaces and their data, colocated. Referenced tables come first.
select create_distributed_table('spaces', 'id', shard_count => 64);
select create_distributed_table('space_origins', 'space_id', colocate_with => 'spaces');
select create_distributed_table('bots', 'space_id', colocate_with => 'spaces');
select create_distributed_table('tools', 'space_id', colocate_with => 'spaces');
select create_distributed_table('bot_members', 'space_id', colocate_with => 'spaces');
select create_distributed_table('usage_days', 'space_id', colocate_with => 'spaces');
select create_distributed_table('invitations', 'space_id', colocate_with => 'spaces');
select create_distributed_table('sso_roles', 'space_id', colocate_with => 'spaces');
select create_distributed_table('api_keys', 'space_id', colocate_with => 'spaces');
select create_distributed_table('links', 'space_id', colocate_with => 'spaces');
select create_distributed_table('tool_consents', 'space_id', colocate_with => 'spaces');
select create_distributed_table('budget_days', 'space_id', colocate_with => 'spaces');
select create_distributed_table('conversations', 'space_id', colocate_with => 'spaces');
select create_distributed_table('messages', 'space_id', colocate_with => 'spaces');
select create_distributed_table('attachments', 'space_id', colocate_with => 'spaces');
select create_distributed_table('page_tool_calls', 'space_id', colocate_with => 'spaces');
select create_distributed_table('running_answers', 'space_id', colocate_with => 'spaces');
select create_distributed_table('erasures', 'space_id', colocate_with => 'spaces');
select create_distributed_table('conversation_outbox', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_sources', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_source_secrets', 'space_id', colocate_with => 'spaces');
select create_distributed_table('subscriptions', 'space_id', colocate_with => 'spaces');
select create_distributed_table('successful_deliveries', 'space_id', colocate_with => 'spaces');
select create_distributed_table('rejected_events', 'space_id', colocate_with => 'spaces');
select create_distributed_table('deliveries', 'space_id', colocate_with => 'spaces');
select create_distributed_table('knowledge_spaces', 'space_id', colocate_with => 'spaces');
select create_distributed_table('documents', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_versions', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_values', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_parts', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_changes', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_remains', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_events', 'space_id', colocate_with => 'spaces');
select create_distributed_table('projections', 'space_id', colocate_with => 'spaces');
select create_distributed_table('records', 'space_id', colocate_with => 'spaces');
select create_distributed_table('record_subjects', 'space_id', colocate_with => 'spaces');
select create_distributed_table('crawls', 'space_id', colocate_with => 'spaces');
select create_distributed_table('crawl_pages', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_sketches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('document_vectors', 'space_id', colocate_with => 'spaces');
select create_distributed_table('passages', 'space_id', colocate_with => 'spaces');
select create_distributed_table('term_vectors', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_heads', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_batches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_knowledge_batches', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_cursors', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_counts', 'space_id', colocate_with => 'spaces');
select create_distributed_table('event_listeners', 'space_id', colocate_with => 'spaces');

-- Distributed by space, but with the type uuid, so it cannot be colocated with the other tables.
select create_distributed_table('event_identities', 'space_id', shard_count => 64, colocate_with => 'none');

-- Only on the coordinator: small tables without a space. A test reads the next line.
-- local: accounts, audit_entries, audit_outbox, idempotent_responses, installation, leases, migrations, one_time_links, rate_counts, recovery_codes, replicas, second_factors, semaphores, sessions, sign_in_challenges, sign_in_failures, signing_keys, sso_administrators, sso_codes, sso_states, verifications

-- Indexes for lookups that do not know the space and therefore go to all servers. A test reads the next line.
-- fans out: api_keys_hash, attachments_expiry, bot_members_user, bots_id, conversation_outbox_oldest, conversations_updated, document_changes_xact, event_counts_minute, event_cursors_consumer, event_sources_source, invitations_inviter, invitations_token, links_creator, links_derived_token, links_id, page_tool_calls_expiry, rejected_events_time, running_answers_updated, space_origins_origin, sso_roles_user, successful_deliveries_time, tool_consents_expiry
