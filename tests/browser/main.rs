//! Pages in a real browser: Debian's Chromium, driven through chromedriver, and for the ways that everybody goes also
//! Debian's Firefox, driven through geckodriver.
//!
//! What a page shows is compared with the record it was made of. A test here needs a browser, its driver and axe-core,
//! which `tests/setup` installs; without them it is skipped by name.

mod browser;
mod brunt;
mod engine;
mod harness;
mod live;
mod relay;
mod run_groups;
mod run_page;
mod site;
mod site_agents;
mod site_dropped;
mod site_firefox;
mod site_forms;
mod site_home;
mod site_keys;
mod site_linked;
mod site_live;
mod site_logged;
mod site_pages;
mod site_pictures;
mod site_plans;
mod site_projects;
mod site_run;
mod site_runs;
mod site_schedule;
mod site_search;
mod site_sso;
mod site_tabbed;
mod site_times;
mod site_trial;
mod site_unsaved;
mod virtual_runs;
mod visit;
