export {
  parseRequestFilter,
  parseSpaceFilter,
  permissionFilterIssues,
} from './permission-filter.ts';
