import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

const NOTHING = ["'none'"];
const SELF = ["'self'"];
/** One year; what runs on subdomains of this host is not ours to decide. */
const TRANSPORT_SECURITY = { maxAge: 31_536_000, includeSubDomains: false };

/** An API answer is never a page: a browser that renders one anyway may load and run nothing. */
const apiHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: NOTHING, baseUri: NOTHING, formAction: NOTHING, frameAncestors: NOTHING },
  },
  strictTransportSecurity: TRANSPORT_SECURITY,
  xFrameOptions: { action: 'deny' },
});

/** The documentation's pages run only what this host serves; nothing inline, nothing foreign. */
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

/** Security headers for every answer; routes that serve other pages replace the content security policy themselves. */
export function securityHeaders(req: Request, res: Response, next: NextFunction): void {
  if (isUnder(req.path, '/v1')) res.setHeader('Cache-Control', 'no-store');
  if (isUnder(req.path, '/docs')) docsHeaders(req, res, next);
  else apiHeaders(req, res, next);
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
