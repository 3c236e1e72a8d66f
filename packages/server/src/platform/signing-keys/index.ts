export type { KeySchedule } from './key-schedule.rules.ts';
export {
  createSigningKeyRepository,
  type StoredSigningKey,
  UnreadableSigningKey,
} from './signing-key.repository.ts';
export { newSigningKeyText, parseSigningKey, type SigningKey } from './signing-key.rules.ts';
export { createSigningKeys, type SigningKeys } from './signing-keys.service.ts';
