/**
 * The last changes of documents, for caches in memory, and the triggers that log the changes.
 * `storage/postgres/knowledge/ranking/change-log.ts` reads and trims the log.
 */
export const documentChanges = [
  // A row without a `number` records a removal of old rows. `trimmed_through` is the highest transaction number among the removed rows.
  `create table document_changes (
    space_id text collate "C" not null,
    id bigint not null generated always as identity,
    xact xid8 not null default pg_current_xact_id(),
    number bigint,
    -- True if the document's passages may have changed.
    reindexed boolean,
    trimmed_through xid8,
    primary key (space_id, id)
  )`,
  'create index document_changes_xact on document_changes (xact)',
  // A new version can hide the current version, so a change of the new version is logged as a change of the current version.
  `create function log_document_changes() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op <> 'INSERT' then
      if old.replaces is not null then
        insert into document_changes (space_id, number, reindexed) values (old.space_id, old.replaces, false);
      end if;
      if tg_op = 'DELETE' or old.number <> new.number or old.space_id <> new.space_id then
        if old.state = 'ready' then
          insert into document_changes (space_id, number, reindexed) values (old.space_id, old.number, true);
        end if;
      elsif old.state = 'ready' or new.state = 'ready' then
        insert into document_changes (space_id, number, reindexed)
        values (new.space_id, new.number, old.state <> new.state or old.passages <> new.passages);
      end if;
    end if;
    if tg_op <> 'DELETE' then
      if new.replaces is not null and (tg_op = 'INSERT' or new.replaces is distinct from old.replaces) then
        insert into document_changes (space_id, number, reindexed) values (new.space_id, new.replaces, false);
      end if;
      if new.state = 'ready' and (tg_op = 'INSERT' or old.number <> new.number or old.space_id <> new.space_id) then
        insert into document_changes (space_id, number, reindexed) values (new.space_id, new.number, true);
      end if;
    end if;
    return null;
  end $$`,
  `create trigger documents_changed after insert or update or delete on documents
    for each row execute function log_document_changes()`,
];
