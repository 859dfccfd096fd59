import type { Express } from 'express';
import { DomainError } from '../domain/errors.js';

const PATH_SHOWN_MAX = 200;

/** A route of Express; its own types have neither the matcher nor the methods. */
interface RouteLayer {
  readonly route: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

function isRouteLayer(layer: object): layer is RouteLayer {
  return 'route' in layer && layer.route !== undefined && 'match' in layer;
}

/** Returns the methods of the routes at this path, sorted; empty when there is none. HEAD comes with GET. */
function methodsAt(app: Express, path: string): string[] {
  const methods = new Set<string>();
  for (const layer of app.router.stack) {
    // A wildcard is middleware that Nest mounts for every method and path, such as the request log.
    if (!isRouteLayer(layer) || layer.route.path.includes('*') || !layer.match(path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  // `_ALL` marks middleware that Nest mounts on an exact path: it passes requests on and answers none.
  methods.delete('_ALL');
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

/** Returns the error for a request without a route: 405 with `Allow` if the path has other methods, else 404. */
export function routeMiss(app: Express, method: string, path: string): DomainError {
  const allowed = methodsAt(app, path);
  const shown = path.slice(0, PATH_SHOWN_MAX);
  if (allowed.length === 0 || allowed.includes(method)) {
    return new DomainError('not_found', `No route matches ${method} ${shown}.`);
  }
  const list = allowed.join(', ');
  return new DomainError('method_not_allowed', `${shown} answers ${list}, not ${method}.`, {
    headers: { Allow: list },
  });
}
