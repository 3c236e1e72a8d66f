export { WidgetNotBuilt } from './built-files.ts';
export { registerWidgetRoutes, type WidgetRoutesDeps } from './widget.routes.ts';
