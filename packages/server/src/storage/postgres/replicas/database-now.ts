/** The database's time, Unix milliseconds: the one clock that all replicas have in common. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
