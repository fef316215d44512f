import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LONGEST_MS = 300_000;

const flags = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-extensions', '--no-proxy-server'],
];

/** Opens a page in a browser of its own, with a fresh profile, until the work is done that the page takes part in. */
export async function withChromium<T>(address: string, work: Promise<T>): Promise<T> {
  const { CHROMIUM: program = '/usr/bin/chromium' } = process.env;
  if (!existsSync(program)) throw new Error(`there is no ${program}: apt-get install chromium, or let CHROMIUM name another`);
  const profile = mkdtempSync(join(tmpdir(), 'retry-policy-chromium-'));
  const browser = spawn(program, [...flags, `--user-data-dir=${profile}`, address], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => browser.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  browser.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const closed = new Promise((resolve) => browser.once('close', resolve).once('error', resolve));
  const timer = setTimeout(kill, LONGEST_MS);
  try {
    return await Promise.race([
      work,
      closed.then(() => {
        throw new Error(`the browser ended before the page had sent its report:\n${said}`);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    kill();
    process.off('exit', kill);
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}
