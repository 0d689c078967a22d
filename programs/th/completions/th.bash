# Completion of th for bash.
_th() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "info run bench convert print tune help --help --usage --version" -- "$word")
    return
  fi
  case $before in
  --top | --size | --resize | --mean | --std | --threads | --time | --runs) return ;;
  --weights)
    mapfile -t COMPREPLY < <(compgen -W "int8 bfloat16" -- "$word")
    return
    ;;
  esac
  case $command in
  run) words="--output --top --labels --size --resize --mean --std --threads --weights" ;;
  bench) words="--threads --time --runs --without --weights --nodes --trace" ;;
  convert) words="--skip" ;;
  tune) words="--show --reset" ;;
  esac
  case $word in
  -*) mapfile -t COMPREPLY < <(compgen -W "$words --help --usage" -- "$word") ;;
  *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _th th
