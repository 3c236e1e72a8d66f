export * from './api-error.ts';
export * from './common.ts';
export * from './operation.ts';
