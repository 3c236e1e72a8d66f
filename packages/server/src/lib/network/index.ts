export { createAddressRules, type MayConnect } from './addresses.ts';
export { errorChain } from './error-chain.ts';
export {
  AddressRefused,
  type GuardOptions,
  guardedConnect,
  type Resolve,
  resolveBySystem,
  shareLookups,
} from './guarded-connect.ts';
