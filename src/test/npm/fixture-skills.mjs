/**
 * Skills of the fixture (SEP-2640): two on the first page of `skills/list`, one on the second, and
 * one that is made while it is read, which only `skills/get` knows.
 */
import { createHash } from 'node:crypto';
import { ProtocolError } from '@modelcontextprotocol/server';

const DIRECTORY = 'inode/directory';
const PAGE = 2;

const skill = (path, description, files) => ({
  root: `skill://${path}`,
  frontmatter: { name: path.split('/').pop(), description, metadata: { version: '2.1' } },
  files,
});

const catalog = [
  skill('pdf-processing', 'Extract, fill, and assemble PDF documents', {
    'references/FORMS.md': '# Forms\n\nFill them field by field.\n',
    'scripts/extract.py': 'print("pages")\n',
    'templates/invoice.md': 'Invoice\n',
    'templates/regional/eu-invoice.md': 'Facture\n',
    'assets/dot.gif': Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64'),
  }),
  skill('acme/billing/refunds', 'Process customer refunds per company policy', {
    'examples/email.md': 'Dear customer,\n',
  }),
  skill('git-workflow', 'Conventions for branches and commits', {}),
].map((one) => ({
  ...one,
  files: {
    'SKILL.md': `---\nname: ${one.frontmatter.name}\ndescription: ${one.frontmatter.description}\nmetadata:\n`
      + `  version: "2.1"\n---\n\n# ${one.frontmatter.name}\n`,
    ...one.files,
  },
}));

const daily = 'skill://daily-report/SKILL.md';
const reports = () => `---\nname: daily-report\ndescription: What happened today\n---\n\n${new Date().toISOString()}\n`;

const bytes = (content) => Buffer.from(content);
const mimeType = (path) => ({ md: 'text/markdown', py: 'text/x-python' })[path.split('.').pop()] ?? 'image/gif';

const entry = ({ root, frontmatter, files }) => ({
  uri: `${root}/SKILL.md`,
  frontmatter,
  resources: Object.entries(files).map(([path, content]) => ({
    uri: `${root}/${path}`,
    digest: `sha256:${createHash('sha256').update(bytes(content)).digest('hex')}`,
    size: bytes(content).length,
  })),
});

export const skillsExtension = { 'io.modelcontextprotocol/skills': { directoryRead: true } };

/** What `resources/list` has of them: the SKILL.md of each. */
export const skillResources = () => catalog.map(({ root, frontmatter }) => ({
  uri: `${root}/SKILL.md`, name: frontmatter.name, description: frontmatter.description, mimeType: 'text/markdown',
}));

/** The result of `resources/read`; undefined for a URI of no skill. */
export function readSkill(uri) {
  if (uri === daily) {
    return { contents: [{ uri, mimeType: 'text/markdown', text: reports() }] };
  }
  for (const { root, files } of catalog) {
    const path = uri.slice(root.length + 1);
    if (uri.startsWith(`${root}/`) && Object.hasOwn(files, path)) {
      const content = files[path];
      const form = typeof content === 'string' ? { text: content } : { blob: content.toString('base64') };
      return { contents: [{ uri, mimeType: mimeType(path), ...form }] };
    }
  }
  return undefined;
}

function children(uri) {
  const found = new Map();
  for (const { root, files } of catalog) {
    for (const path of Object.keys(files)) {
      const whole = `${root}/${path}`;
      if (whole.startsWith(`${uri}/`)) {
        const [name, ...rest] = whole.slice(uri.length + 1).split('/');
        found.set(name, { uri: `${uri}/${name}`, name, mimeType: rest.length ? DIRECTORY : mimeType(name) });
      }
    }
  }
  return [...found.values()];
}

const anything = { '~standard': { version: 1, vendor: 'fixture', validate: (value) => ({ value }) } };
const kept = { ttlMs: 0, cacheScope: 'public' };

export function offerSkills(server) {
  const on = (method, answer) => server.setRequestHandler(method, { params: anything }, answer);
  on('skills/list', (params) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + PAGE;
    return {
      ...kept,
      skills: catalog.slice(from, to).map(entry),
      ...(to < catalog.length ? { nextCursor: `${to}` } : {}),
    };
  });
  on('skills/get', ({ uri }) => {
    if (uri === daily) {
      const frontmatter = { name: 'daily-report', description: 'What happened today' };
      return { ...kept, skill: { uri, frontmatter, resources: 'dynamic' } };
    }
    const found = catalog.find(({ root }) => uri === `${root}/SKILL.md`);
    if (!found) {
      throw new ProtocolError(-32602, `Unknown skill: ${uri}`);
    }
    return { ...kept, skill: entry(found) };
  });
  on('resources/directory/read', ({ uri }) => {
    const resources = children(uri);
    if (resources.length === 0) {
      throw new ProtocolError(-32602, `Not a directory: ${uri}`);
    }
    return { resources };
  });
}
