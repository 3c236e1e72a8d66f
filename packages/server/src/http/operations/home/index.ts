export { registerHome } from './home.ts';
