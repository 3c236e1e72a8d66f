-- Splits each of the two growing tables into sixteen partitions by the hash of the space, within one server. Each partition
-- has its own index and is vacuumed separately. Stop all replicas first, and provide room for a second copy of the tables:
--   psql --single-transaction --set=ON_ERROR_STOP=1 --file=deploy/partitions.sql "$GATEHOUSE_DATABASE_URL"
do $$
declare
  name text;
begin
  foreach name in array array['event_identities', 'event_batches'] loop
    execute format('alter table %I rename to %I', name, name || '_whole');
    execute format('create table %I (like %I including all) partition by hash (space_id)', name, name || '_whole');
    for part in 0..15 loop
      execute format(
        'create table %I partition of %I for values with (modulus 16, remainder %s)', name || '_' || part, name, part);
    end loop;
    execute format('insert into %I select * from %I', name, name || '_whole');
    execute format('drop table %I', name || '_whole');
  end loop;
end
$$;
