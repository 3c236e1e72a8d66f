export { createAddressRules } from './addresses.ts';
export { CERTIFICATE_PROBLEMS } from './certificate-problems.ts';
export { errorChain } from './error-chain.ts';
export { FairLookups, type Resolve } from './fair-lookups.ts';
export { AddressRefused, guardedConnect } from './guarded-connect.ts';
