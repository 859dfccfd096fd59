import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Edit, withEdit } from './bug.ts';

/** Directories of node_modules in which tools keep caches: a copy has its own. */
const TOOL_CACHE = /^\.(vite|cache|tmp)/;

/**
 * A copy of a working tree in a temporary directory: the files that git tracks or would add, with the packages linked. The
 * tree itself is only read.
 */
export class TreeCopy {
  readonly root: string;
  private readonly tree: string;
  private readonly base: string;

  constructor(tree: string) {
    this.tree = tree;
    this.base = mkdtempSync(join(tmpdir(), 'coffer-sabotage-'));
    this.root = join(this.base, 'tree');
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: tree });
    const paths = new Set(listed.toString().split('\0').filter(Boolean));
    for (const path of paths) {
      // A deleted file is still in the index.
      if (existsSync(join(tree, path))) cpSync(join(tree, path), join(this.root, path));
    }
    this.linkPackages();
  }

  /** Returns the path of a file beside the copy, for the output of a run. */
  beside(name: string): string {
    return join(this.base, name);
  }

  /** Makes the edits in the copy, and returns a function that undoes them. Throws when one does not apply exactly once. */
  edit(edits: readonly Edit[]): () => void {
    const files = [...new Set(edits.map(({ file }) => file))];
    const originals = files.map(
      (file) => [join(this.root, file), readFileSync(join(this.root, file), 'utf8')] as const,
    );
    for (const edit of edits) {
      const path = join(this.root, edit.file);
      writeFileSync(path, withEdit(readFileSync(path, 'utf8'), edit));
    }
    return () => {
      for (const [path, text] of originals) writeFileSync(path, text);
    };
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  /** Links package by package, so that files that tools write into node_modules stay in the copy. */
  private linkPackages(): void {
    const from = join(this.tree, 'node_modules');
    const to = join(this.root, 'node_modules');
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (!TOOL_CACHE.test(name)) symlinkSync(join(from, name), join(to, name));
    }
  }
}
