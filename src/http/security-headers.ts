import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

const NOTHING = ["'none'"];
const SELF = ["'self'"];
/** One year, without subdomains: other services may run there. */
const TRANSPORT_SECURITY = { maxAge: 31_536_000, includeSubDomains: false };

/** API answers are not pages: a browser that renders one must not load or run anything. */
const apiHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: NOTHING, baseUri: NOTHING, formAction: NOTHING, frameAncestors: NOTHING },
  },
  strictTransportSecurity: TRANSPORT_SECURITY,
  xFrameOptions: { action: 'deny' },
});

/** Documentation pages load and run only files of this host, nothing inline. */
const docsHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: NOTHING,
      scriptSrc: SELF,
      styleSrc: SELF,
      imgSrc: ["'self'", 'data:'],
      connectSrc: SELF,
      baseUri: NOTHING,
      formAction: NOTHING,
      frameAncestors: NOTHING,
    },
  },
  strictTransportSecurity: TRANSPORT_SECURITY,
  xFrameOptions: { action: 'deny' },
});

/** Scripts, styles and pictures of the console, of which a page loads many: without headers that matter to pages alone. */
const fileHeaders = helmet({
  contentSecurityPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xFrameOptions: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  strictTransportSecurity: TRANSPORT_SECURITY,
});

/** Sets the security headers of every answer; routes with other pages replace the content security policy themselves. */
export function securityHeaders(req: Request, res: Response, next: NextFunction): void {
  if (isUnder(req.path, '/v1') || isUnder(req.path, '/admin/api')) res.setHeader('Cache-Control', 'no-store');
  if (isUnder(req.path, '/docs')) docsHeaders(req, res, next);
  else if (isUnder(req.path, '/admin/assets')) fileHeaders(req, res, next);
  else apiHeaders(req, res, next);
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
