/** Indexes for lists and counts of deliveries in a state, and for counts of a crawl's pages. These reads are on the main thread. */
export const countIndexes = [
  'drop index deliveries_state',
  // Starts with the subscription, because the deletion of a subscription also uses the index.
  'create index deliveries_state on deliveries (subscription_id, state, space_id, position, bytes)',
  'create index crawl_pages_counts on crawl_pages (space_id, crawl_id, run, result, has_document)',
];
