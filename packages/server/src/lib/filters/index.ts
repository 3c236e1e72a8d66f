export { parseSpaceFilter, permissionFilterIssues } from './permission-filter.ts';
