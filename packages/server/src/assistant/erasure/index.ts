export { registerErasureRoutes } from './erasure.routes.ts';
export { createErasures, type Erasures } from './erasure.service.ts';
