export { registerGuides } from './guides.ts';
