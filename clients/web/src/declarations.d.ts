declare module "*.css";

declare module "*.tsv" {
  const text: string;
  export default text;
}

/** The file under its hashed name, relative to the assets: `new URL(address, import.meta.url)`. */
declare module "url:*" {
  const address: string;
  export default address;
}
