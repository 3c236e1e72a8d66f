/**
 * The encrypted token of a link identifies the request, so `request_hash` is not needed. The tokens of earlier releases cannot be decrypted: a
 * repetition of a request that was sent before the upgrade creates another link.
 */
export const sealedRequests = [
  'update links set key_hash = null, sealed_token = null where key_hash is not null',
  'alter table links drop column request_hash',
];
