/** JSON Schema as far as a form needs it: what a value is, and which one it begins with. */

const DEEPEST = 12;

/** A schema without its references and `allOf`; what cannot be resolved allows everything. */
export function resolve(schema, root, depth = 0) {
  if (schema === true || schema === undefined || schema === null || typeof schema !== 'object') {
    return {};
  }
  if (depth > DEEPEST) {
    return {};
  }
  let found = schema;
  if (typeof schema.$ref === 'string') {
    const {$ref, ...rest} = schema;
    found = {...resolve(at(root, $ref), root, depth + 1), ...rest};
  }
  if (Array.isArray(found.allOf)) {
    const {allOf, ...rest} = found;
    found = allOf.map(part => resolve(part, root, depth + 1)).reduce(merged, rest);
  }
  return found;
}

function at(root, reference) {
  if (reference === '#') {
    return root;
  }
  if (!reference.startsWith('#/')) {
    return {};
  }
  return reference.slice(2).split('/')
    .map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, step) => (value && Object.hasOwn(value, step) ? value[step] : {}), root);
}

const merged = (one, other) => ({
  ...one,
  ...other,
  properties: {...one.properties, ...other.properties},
  required: [...(one.required ?? []), ...(other.required ?? [])],
});

/** The first type that is not null. */
export function typeOf(schema) {
  const types = Array.isArray(schema.type) ? schema.type.filter(type => type !== 'null') : [schema.type];
  if (types.length > 1) {
    return 'any';
  }
  if (types[0]) {
    return types[0];
  }
  if (schema.properties) {
    return 'object';
  }
  return schema.items ? 'array' : 'any';
}

/**
 * The values of a choice with their titles: `enum` with `enumNames`, or `oneOf` of constants.
 *
 * @returns {{value: unknown, title: string}[]|null} null where it is no choice
 */
export function choices(schema) {
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value, index) => ({value, title: String(schema.enumNames?.[index] ?? word(value))}));
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(variants) && variants.length > 0 && variants.every(one => one && typeof one === 'object' && 'const' in one)) {
    return variants.map(one => ({value: one.const, title: String(one.title ?? word(one.const))}));
  }
  return null;
}

const word = value => (typeof value === 'string' ? value : JSON.stringify(value));

/** The forms of `oneOf` or `anyOf`, each with what is common to all. */
export function variants(schema, root) {
  const all = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(all) || all.length === 0 || choices(schema)) {
    return null;
  }
  const {oneOf, anyOf, ...common} = schema;
  return all
    .map(one => merged(common, resolve(one, root)))
    .filter(one => one.type !== 'null');
}

/** What a variant is called. */
export function variantTitle(schema, index) {
  if (schema.title) {
    return schema.title;
  }
  const mark = Object.entries(schema.properties ?? {}).find(([, property]) => property && 'const' in property);
  if (mark) {
    return `${mark[0]}: ${word(mark[1].const)}`;
  }
  return `${index + 1}: ${typeOf(schema)}`;
}

/**
 * The value that a form begins with; undefined for what is left out unless a person writes it.
 *
 * @param {boolean} required
 */
export function initial(schema, root, required, depth = 0) {
  const form = resolve(schema, root);
  if (form.default !== undefined) {
    return structuredClone(form.default);
  }
  if ('const' in form) {
    return form.const;
  }
  if (!required || depth > DEEPEST) {
    return undefined;
  }
  const options = choices(form);
  if (options) {
    return undefined;
  }
  const several = variants(form, root);
  if (several?.length) {
    return initial(several[0], root, required, depth + 1);
  }
  switch (typeOf(form)) {
    case 'object': return initialObject(form, root, depth);
    case 'array': return [];
    case 'boolean': return false;
    default: return undefined;
  }
}

export function initialObject(form, root, depth = 0) {
  const value = {};
  for (const [name, property] of Object.entries(form.properties ?? {})) {
    const first = initial(property, root, form.required?.includes(name), depth + 1);
    if (first !== undefined) {
      define(value, name, first);
    }
  }
  return value;
}

/** A member of a value, never one that every object has. */
export const own = (value, name) =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? value[name] : undefined;

/** Sets a member, also one named `__proto__`. */
export function define(object, name, value) {
  Object.defineProperty(object, name, {value, writable: true, enumerable: true, configurable: true});
}
