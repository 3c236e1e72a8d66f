export { createSigningKeyRepository } from './signing-key.repository.ts';
export { newSigningKeyText, parseSigningKey, type SigningKey } from './signing-key.rules.ts';
export { createSigningKeys, type SigningKeys } from './signing-keys.service.ts';
