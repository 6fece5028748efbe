//! The system calls that nothing in the box may make (X9).
//!
//! Two programs, since each has one answer: what programs must not do is "not permitted"; what they can do in an
//! older way (threads by `clone`, files without `io_uring`) is "not there", so that they fall back.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::collections::BTreeMap;

/// Calls of the x32 interface of x86-64 have this bit; they would pass by every rule.
const X32_BIT: u32 = 0x4000_0000;
/// `open_tree_attr`, too new for the list of names.
const OPEN_TREE_ATTR: i64 = 467;

const FORBIDDEN: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const FORBIDDEN_HERE: &[i64] = &[libc::SYS_kexec_file_load, libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: &[i64] = &[];

const ABSENT: &[i64] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// Kinds of sockets that may be made: all of them meet an empty network.
const SOCKETS: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Puts the filters on this process, and on everything it becomes or starts.
pub(super) fn apply() -> Result<(), String> {
    for program in programs()? {
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn programs() -> Result<Vec<BpfProgram>, String> {
    let absent: BTreeMap<i64, Vec<SeccompRule>> = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    Ok(vec![program(absent, libc::ENOSYS)?, program(forbidden()?, libc::EPERM)?])
}

fn forbidden() -> Result<BTreeMap<i64, Vec<SeccompRule>>, String> {
    let always = FORBIDDEN.iter().chain(FORBIDDEN_HERE);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = always.map(|call| (*call, Vec::new())).collect();
    let user_namespace = libc::CLONE_NEWUSER as u64;
    let new_user =
        condition(SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(user_namespace), user_namespace)?;
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.insert(call, vec![rule(vec![new_user.clone()])?]);
    }
    let none_of = SOCKETS
        .iter()
        .map(|family| condition(SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, *family as u64))
        .collect::<Result<Vec<_>, String>>()?;
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![rule(none_of.clone())?]);
    }
    Ok(rules)
}

/// On the first argument.
fn condition(
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, String> {
    SeccompCondition::new(0, length, operator, value).map_err(|error| error.to_string())
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, String> {
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}

fn program(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, String> {
    let arch = std::env::consts::ARCH.try_into().map_err(|_| "no filter for this processor".to_owned())?;
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, answer, arch).map_err(|error| error.to_string())?;
    let compiled: BpfProgram =
        filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())?;
    let instruction = |code: u16, jf: u8, k: u32| sock_filter { code, jt: 0, jf, k };
    // Load the call's number; if the bit is set, answer "not there"; else go on with the program.
    let mut whole = vec![
        instruction(0x20, 0, 0),
        instruction(0x35, 1, X32_BIT),
        instruction(0x06, 0, 0x0005_0000 | libc::ENOSYS.unsigned_abs()),
    ];
    whole.extend(compiled);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filters compile, and both begin by turning the other calling convention away.
    #[test]
    fn x_09_filters_compile_and_leave_no_second_door() {
        let programs = programs().unwrap();
        assert_eq!(programs.len(), 2);
        for program in &programs {
            assert_eq!((program[1].code, program[1].k), (0x35, X32_BIT));
        }
    }
}
