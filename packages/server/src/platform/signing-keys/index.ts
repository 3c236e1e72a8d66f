export { removeUnreadableKeys } from './remove-unreadable-keys.ts';
export { newSigningKeyText, parseSigningKey, type SigningKey } from './signing-key.rules.ts';
export {
  createSigningKeys,
  type SigningKeys,
  type SigningKeysOptions,
  UnreadableSigningKey,
} from './signing-keys.service.ts';
export type { LivingKey } from './vault.ts';
