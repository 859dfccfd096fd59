import { existsSync, globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';

/** A file of the console's build, and the encodings in which it lies there. */
export interface ConsoleAsset {
  readonly path: string;
  readonly type: string;
  readonly encodings: readonly ContentEncoding[];
}

/** Best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];
const SUFFIX: Readonly<Record<ContentEncoding, string>> = { br: '.br', gzip: '.gz' };

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The word that the build puts where the nonce belongs (admin-ui/vite.config.ts). */
const NONCE_WORD = /CSP_NONCE/g;

/** What `npm run admin:build` has made. The files are listed once: a process serves the build that it started with. */
export class ConsoleFiles {
  private readonly page: string | null;
  private readonly assets: ReadonlyMap<string, ConsoleAsset>;

  constructor(private readonly directory: string = builtPages()) {
    const index = join(directory, 'index.html');
    this.page = existsSync(index) ? readFileSync(index, 'utf8') : null;
    this.assets = this.listAssets();
  }

  /** The page with this nonce; null when the console is not built. */
  pageWith(nonce: string): string | null {
    return this.page?.replaceAll(NONCE_WORD, nonce) ?? null;
  }

  /** The asset of a name such as `index-CmQ0.js`. */
  asset(name: string): ConsoleAsset | undefined {
    return this.assets.get(name);
  }

  /** Where the bytes of an asset are, in the best encoding that the client takes, and in which. */
  variantOf(asset: ConsoleAsset, accepted: string): { readonly path: string; readonly encoding?: ContentEncoding } {
    const encoding = asset.encodings.find((one) => takes(accepted, one));
    return encoding === undefined ? { path: asset.path } : { path: `${asset.path}${SUFFIX[encoding]}`, encoding };
  }

  private listAssets(): Map<string, ConsoleAsset> {
    const assets = join(this.directory, 'assets');
    const names = new Set(globSync('**/*', { cwd: assets }).map((name) => name.split(sep).join('/')));
    return new Map(
      [...names].flatMap((name) => {
        const type = TYPES[extname(name)];
        if (type === undefined) return [];
        const encodings = ENCODINGS.filter((encoding) => names.has(`${name}${SUFFIX[encoding]}`));
        return [[name, { path: join(assets, name), type, encodings }]];
      }),
    );
  }
}

/** Whether `Accept-Encoding` names an encoding and does not refuse it by `q=0`. */
function takes(accepted: string, encoding: ContentEncoding): boolean {
  return accepted.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** `admin-ui/dist` is beside package.json, above the sources and the build. */
function builtPages(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error('The package.json of this service is missing.');
  return join(dirname(manifest), 'admin-ui', 'dist');
}
