/** The embedding of documents alternates between the spaces. */
export const embeddingOrder = [
  'drop index documents_unembedded',
  `create index documents_unembedded on documents (space_id, number)
    where state = 'ready' and embedded_by is null`,
];
